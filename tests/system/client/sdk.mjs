// Runs one session of the agent SDK: node sdk.mjs SDK OPTIONS CLIENT PROMPT. The options are those of
// the file as they are; what this adds says only which client is driven. Messages go to standard
// output, a line each.
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
