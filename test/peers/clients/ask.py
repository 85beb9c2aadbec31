"""Asks with one of the clients for Python: ask.py http.client METHOD URL URL."""
import asyncio
import sys
from urllib.parse import urlsplit

library, method, *urls = sys.argv[1:]
asked = list(zip((method, 'GET'), urls))


def show(status, content):
    print(f"{content.decode('latin1')}|{status}|", flush=True)


def fail(error):
    print(f'||{type(error).__name__}', flush=True)


def http_client():
    import http.client
    connection = http.client.HTTPConnection(urlsplit(urls[0]).netloc)

    def ask(method, url):
        try:
            connection.request(method, urlsplit(url).path)
            response = connection.getresponse()
            return response.status, response.read()
        except Exception:
            connection.close()
            raise
    return ask


def session(client):
    def ask(method, url):
        response = client.request(method, url)
        return response.status_code, response.content
    return ask


async def ask_aiohttp():
    import aiohttp
    async with aiohttp.ClientSession() as client:
        for method, url in asked:
            try:
                async with client.request(method, url) as response:
                    show(response.status, await response.read())
            except Exception as error:
                fail(error)


if library == 'aiohttp':
    asyncio.run(ask_aiohttp())
    sys.exit()
if library == 'http.client':
    ask = http_client()
elif library == 'requests':
    import requests
    ask = session(requests.Session())
else:
    import httpx
    ask = session(httpx.Client())
for method, url in asked:
    try:
        show(*ask(method, url))
    except Exception as error:
        fail(error)
