def app(environ, start_response):
    environ['wsgi.input'].read()
    start_response('200 OK', [('Content-Type', 'text/plain'), ('Content-Length', '3')])
    return [] if environ['REQUEST_METHOD'] == 'HEAD' else [b'ok\n']
