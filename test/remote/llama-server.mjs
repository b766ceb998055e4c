#!/usr/bin/env node
// Replaces llama-server, which the tests cannot install: the options, endpoints, events and log lines that Flashline
// uses, as in version 0.7.0 (build 11669). The file of the "model" is JSON: with `isEndless` it never finishes loading,
// with `listsEarly` it is listed before it has loaded, and with `noFim` it cannot infill. A prefix with "crash" ends
// the process during its answer.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const flag = { type: 'boolean' };
const OPTIONS = {
  help: flag,
  model: text,
  'hf-repo': text,
  alias: text,
  host: text,
  port: text,
  'ctx-size': text,
  'spec-type': text,
  'model-draft': text,
  'hf-repo-draft': text,
  'no-webui': flag,
};
const DRAFT_KINDS = 'none,draft-simple,draft-dflash,ngram-mod';

const { values } = parseArgs({ options: OPTIONS });
if (values.help) {
  console.log(
    `--spec-type ${DRAFT_KINDS}\n${Object.keys(OPTIONS)
      .map((name) => `--${name}`)
      .join('\n')}`,
  );
  process.exit();
}
const log = (line) => process.stderr.write(`0.00.000.000 ${line}\n`);
log(`I srv  llama_server: initializing as process ${process.pid}`);
log(`I spec ${values['spec-type']} ${values['model-draft']}`);
let plan;
try {
  plan = JSON.parse(readFileSync(values.model, 'utf8'));
} catch {
  log("E gguf_init_from_reader: invalid magic characters: 'text', expected 'GGUF'");
  log('E srv  llama_server: exiting due to model loading error');
  process.exit(1);
}
let isLoaded = false;
setTimeout(() => {
  if (plan.isEndless) return;
  isLoaded = true;
  log('I srv  llama_server: model loaded');
}, 200);

createServer((request, response) => void answer(request, response)).listen(Number(values.port), values.host);

async function answer(request, response) {
  const send = (status, value) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const isListing = request.url === '/v1/models';
  if (request.url === '/health') return send(isLoaded ? 200 : 503, {});
  if (!isLoaded && !(isListing && plan.listsEarly))
    return send(503, { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } });
  if (request.headers.authorization !== `Bearer ${process.env.LLAMA_API_KEY}`)
    return send(401, { error: { message: 'Invalid API Key', type: 'authentication_error', code: 401 } });
  if (isListing)
    return send(200, { data: [{ id: values.alias, owned_by: 'llamacpp', meta: { n_ctx: 2048 } }] });
  const isPlain = request.url === '/v1/completions';
  if (!isPlain && (request.url !== '/infill' || plan.noFim)) {
    const message =
      'Infill is not supported by this model: prefix token is missing. suffix token is missing. ';
    return send(501, { error: { code: 501, message, type: 'not_supported_error' } });
  }
  const body = await json(request);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (isPlain)
    return response.end('data: {"choices":[{"text":"x","finish_reason":"length"}]}\n\ndata: [DONE]\n\n');
  const timings = (written) => ({
    cache_n: 3,
    prompt_n: 4,
    prompt_ms: 8,
    predicted_n: written,
    predicted_ms: 10 * (written - 1),
    ...(values['spec-type'] && { draft_n: 6, draft_n_accepted: 5 }),
  });
  const event = (content, written, more = {}) => {
    const counts = { tokens_evaluated: 7, tokens_predicted: written };
    const timing = body.timings_per_token || more.stop ? { timings: timings(written) } : {};
    response.write(
      `data: ${JSON.stringify({ index: 0, content, stop: false, ...counts, ...timing, ...more })}\n\n`,
    );
  };
  event('a ', 1);
  if (body.input_prefix.includes('crash')) return setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50);
  event('+ b;', 4);
  event('', 4, { stop: true, stop_type: 'eos' });
  return response.end();
}
