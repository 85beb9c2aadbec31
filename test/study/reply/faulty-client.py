"""A small client with three faults, which each can be mended: python3 faulty-client.py URL
[mended fault ...]. Exit code 0 tells that it took the response."""
import socket
import sys
from urllib.parse import urlsplit

url, mended = urlsplit(sys.argv[1]), sys.argv[2:]


class Incomplete(Exception):
    pass


def read_line(stream):
    line = stream.readline()
    if not line.endswith(b'\n') and 'end' in mended:
        raise Incomplete('the connection ended in a line')
    return line.rstrip(b'\r\n')


def read_chunks(stream):
    content = b''
    while size := int(read_line(stream) or b'0', 16):  # fault "end": no line is the last chunk
        content += stream.read(size)
        read_line(stream)
    while read_line(stream):
        pass
    return content


def read_response(stream):
    status = int(read_line(stream).split()[1])
    fields = {}
    while line := read_line(stream):
        name, value = line.split(b':', 1)
        fields[name.lower()] = value.strip()
    if fields.get(b'transfer-encoding') == b'chunked':
        return status, read_chunks(stream)
    if b'content-length' not in fields:
        return status, stream.read()
    length = int(fields[b'content-length'])
    content = stream.read(length)
    if len(content) < length and 'length' in mended:  # fault "length": it trusts it
        raise Incomplete('the content is shorter than its length')
    return status, content


timeout = 0.5 if 'silence' in mended else None  # fault "silence": it waits for ever
with socket.create_connection((url.hostname, url.port), timeout=timeout) as connection:
    connection.sendall(f'GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n'.encode())
    try:
        read_response(connection.makefile('rb'))
    except (Incomplete, TimeoutError):
        sys.exit(1)
