async def app(scope, receive, send):
    if scope['type'] != 'http':
        return
    more = True
    while more:
        message = await receive()
        more = message['type'] == 'http.request' and message.get('more_body', False)
    headers = [(b'content-type', b'text/plain'), (b'content-length', b'3')]
    await send({'type': 'http.response.start', 'status': 200, 'headers': headers})
    await send({'type': 'http.response.body', 'body': b'ok\n'})
