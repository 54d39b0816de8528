// Runs one session of the agent SDK: node sdk.mjs SDK OPTIONS CLIENT PROMPT. Uses the options of
// the file unchanged, and only adds which client to drive. Messages go to standard output, one per
// line.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [sdk, file, client, prompt] = process.argv.slice(2);
const { query } = await import(pathToFileURL(sdk));
const options = JSON.parse(fs.readFileSync(file, "utf8"));
options.pathToClaudeCodeExecutable = client;
options.includeHookEvents = true;
options.stderr = (text) => process.stderr.write(text);
for await (const message of query({ prompt, options })) {
  console.log(JSON.stringify(message));
}
