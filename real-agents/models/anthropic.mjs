// The messages protocol of Anthropic.

import { CROWD, freshId, json } from './model.mjs';

const asText = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((block) => block.text ?? '').join('\n');

function* itemsOf(body) {
  if (body.system) yield { from: 'system', text: asText(body.system) };
  for (const { role, content } of body.messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    for (const block of blocks) {
      if (block.type === 'text') yield { from: role === 'assistant' ? 'model' : role, text: block.text };
      if (block.type === 'tool_result')
        yield { from: 'tool', text: asText(block.content), failed: block.is_error === true };
      if (block.type === 'tool_use') yield { from: 'model', text: '', call: block.name };
    }
  }
}

const blockOf = (step) =>
  'say' in step
    ? { type: 'text', text: step.say }
    : { type: 'tool_use', id: freshId('toolu'), name: step.call, input: step.input };

export const anthropic = {
  read(request, body) {
    const isQuestion = /^\/v1\/messages(\?|$)/.test(request.url) && Array.isArray(body.messages);
    return isQuestion && { items: [...itemsOf(body)], tools: body.tools ?? [] };
  },

  stray(request, response) {
    json(response, request.url.includes('count_tokens') ? { input_tokens: 10 } : {});
  },

  write(response, body, turn) {
    const blocks = turn.steps.map(blockOf);
    const usage = {
      input_tokens: turn.crowded ? CROWD : 10,
      output_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    const stop = {
      stop_reason: blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn',
      stop_sequence: null,
    };
    const message = {
      id: freshId('msg'),
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    if (!body.stream) return json(response, { ...message, ...stop, content: blocks });

    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const emit = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    emit('message_start', { message });
    blocks.forEach((block, index) => {
      const isText = block.type === 'text';
      const start = isText ? { ...block, text: '' } : { ...block, input: {} };
      const delta = isText
        ? { type: 'text_delta', text: block.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
      emit('content_block_start', { index, content_block: start });
      emit('content_block_delta', { index, delta });
      emit('content_block_stop', { index });
    });
    emit('message_delta', { delta: stop, usage });
    emit('message_stop', {});
    response.end();
  },
};
