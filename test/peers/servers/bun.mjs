Bun.serve({
  hostname: '127.0.0.1',
  port: PORT,
  async fetch(request) {
    await request.arrayBuffer();
    return new Response('ok\n');
  },
});
