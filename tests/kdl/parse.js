// Reads texts as a JSON array on standard input; writes the result of kdljs for each of them, or
// null, to standard output.
const { parse } = require("kdljs");
const plain = (nodes) =>
  nodes.map(({ name, values, properties, children }) => ({ name, values, properties, children: plain(children) }));
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const results = texts.map((text) => {
  const { output, errors } = parse(text);
  return errors.length > 0 ? null : plain(output);
});
process.stdout.write(JSON.stringify(results));
