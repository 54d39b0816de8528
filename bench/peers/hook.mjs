#!/usr/bin/env node
// The project boundary as a script: denies a path that leads out of the project.
import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return path === '/' ? path : join(real(dirname(path)), basename(path));
  }
}

const event = JSON.parse(readFileSync(0, 'utf8'));
const root = realpathSync(process.env.CLAUDE_PROJECT_DIR);
for (const key of ['file_path', 'notebook_path', 'path']) {
  const text = event.tool_input?.[key];
  if (text === undefined) continue;
  const path = real(resolve(event.cwd, text.replace(/^~(?=\/|$)/, process.env.HOME)));
  if (path !== root && !path.startsWith(root + '/')) {
    console.log(JSON.stringify({ hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: `${path} is outside of ${root}`,
    } }));
    break;
  }
}
