// The proxy of the npm package @anthropic-ai/sandbox-runtime, with a filter that permits everything.
//
//   node srt_proxy.mjs PACKAGE-DIRECTORY PORT
import { pathToFileURL } from 'node:url'

const [folder, port] = process.argv.slice(2)
const file = `${folder}/dist/sandbox/http-proxy.js`
const { createHttpProxyServer } = await import(pathToFileURL(file))
createHttpProxyServer({ filter: () => true }).listen(Number(port), '127.0.0.1')
