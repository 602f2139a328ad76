// The responses protocol of OpenAI.

import { CROWD, freshId, json } from './model.mjs';

const asText = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? part.encrypted_content ?? '').join('\n');

function* itemsOf(body) {
  if (body.instructions) yield { from: 'system', text: body.instructions };
  for (const item of body.input) {
    const { type = 'message', role } = item;
    if (type === 'message') {
      const from = { assistant: 'model', user: 'user' }[role] ?? 'system';
      yield { from, text: asText(item.content) };
    } else if (type.endsWith('_call_output')) {
      yield { from: 'tool', text: asText(item.output?.content ?? item.output), failed: item.output?.success === false };
    } else if (type.endsWith('_call')) {
      yield { from: 'model', text: '', call: item.name };
    } else if (item.content) {
      // Messages between agents have a type of their own.
      yield { from: 'user', text: asText(item.content) };
    }
  }
}

function itemOf(step) {
  if ('say' in step) {
    return {
      type: 'message',
      role: 'assistant',
      id: freshId('msg'),
      content: [{ type: 'output_text', text: step.say }],
    };
  }
  const { call: name, input, namespace } = step;
  const common = { id: freshId('item'), call_id: freshId('call'), name, ...(namespace && { namespace }) };
  return typeof input === 'string'
    ? { type: 'custom_tool_call', ...common, input }
    : { type: 'function_call', ...common, arguments: JSON.stringify(input) };
}

export const responses = {
  read(request, body) {
    const isQuestion = /\/responses(\?|$)/.test(request.url) && Array.isArray(body.input);
    return isQuestion && { items: [...itemsOf(body)], tools: body.tools ?? [] };
  },

  stray(request, response) {
    if (request.url.includes('/models')) return json(response, { object: 'list', data: [], models: [] });
    json(response, {}, 404);
  },

  write(response, body, turn) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const emit = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    const id = freshId('resp');
    emit('response.created', { response: { id } });
    turn.steps.map(itemOf).forEach((item, output_index) => {
      emit('response.output_item.added', { output_index, item });
      emit('response.output_item.done', { output_index, item });
    });
    const input = turn.crowded ? CROWD : 10;
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + 10,
    };
    emit('response.completed', { response: { id, usage } });
    response.end();
  },
};
