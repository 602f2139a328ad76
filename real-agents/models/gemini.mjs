// The protocol of the Gemini API.

import { CROWD, freshId, json } from './model.mjs';

function* itemsOf(body) {
  const system = body.systemInstruction?.parts ?? [];
  if (system.length > 0) yield { from: 'system', text: system.map((part) => part.text ?? '').join('\n') };
  for (const { role, parts } of body.contents) {
    for (const part of parts) {
      if (part.text !== undefined) yield { from: role === 'model' ? 'model' : 'user', text: part.text };
      if (part.functionCall) yield { from: 'model', text: '', call: part.functionCall.name };
      if (part.functionResponse) {
        const answer = part.functionResponse.response ?? {};
        yield {
          from: 'tool',
          text: answer.output ?? answer.error ?? JSON.stringify(answer),
          failed: 'error' in answer,
        };
      }
    }
  }
}

const partOf = (step) =>
  'say' in step ? { text: step.say } : { functionCall: { id: freshId('call'), name: step.call, args: step.input } };

export const gemini = {
  read(request, body) {
    const isQuestion = /:(streamG|g)enerateContent/.test(request.url) && Array.isArray(body.contents);
    const tools = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
    return isQuestion && { items: [...itemsOf(body)], tools };
  },

  stray(request, response) {
    json(response, request.url.includes(':countTokens') ? { totalTokens: 10 } : {});
  },

  write(response, body, turn, request) {
    const prompt = turn.crowded ? CROWD : 10;
    const answer = {
      candidates: [{ content: { role: 'model', parts: turn.steps.map(partOf) }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: 10, totalTokenCount: prompt + 10 },
      modelVersion: 'scripted',
      responseId: freshId('response'),
    };
    if (!request.url.includes(':streamGenerateContent')) return json(response, answer);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(answer)}\r\n\r\n`);
  },
};
