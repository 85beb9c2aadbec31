/** Clients that a machine may have, and how each asks for two responses, one after the
 * other, over one connection where it can, with its default settings. After each, it prints
 * the content, "|", the status, "|", and what went wrong. */

export interface ClientKind {
  readonly name: string;
  /** A command that prints the version, and what stands before it. */
  readonly version: readonly [before: string, command: string, ...args: string[]];
  /** The files that it needs. */
  readonly files?: Readonly<Record<string, string>>;
  /** What is run once, in the folder of the files. */
  readonly build?: readonly [command: string, ...args: string[]];
  /** It runs in that folder, with the two URLs after it. */
  readonly command: readonly [command: string, ...args: string[]];
}

/** @param client defines get(url), which returns a status and the content */
const python = (client: string): string => `import sys
${client}
for url in sys.argv[1:]:
    try:
        status, content = get(url)
        print(content.decode('latin1') + '|' + str(status) + '|', flush=True)
    except Exception as error:
        print('||' + type(error).__name__, flush=True)
`;

const HTTP_CLIENT = python(`import http.client
from urllib.parse import urlsplit
connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc)
def get(url):
    try:
        connection.request('GET', urlsplit(url).path)
        response = connection.getresponse()
        return response.status, response.read()
    except Exception:
        connection.close()
        raise`);
const session = (client: string): string =>
  python(`${client}
def get(url):
    response = session.get(url)
    return response.status_code, response.content`);
const REQUESTS = session('import requests\nsession = requests.Session()');
const HTTPX = session('import httpx\nsession = httpx.Client()');
const AIOHTTP = `import aiohttp, asyncio, sys
async def main():
    async with aiohttp.ClientSession() as session:
        for url in sys.argv[1:]:
            try:
                async with session.get(url) as response:
                    content = await response.read()
                    print(content.decode('latin1') + '|' + str(response.status) + '|', flush=True)
            except Exception as error:
                print('||' + type(error).__name__, flush=True)
asyncio.run(main())
`;
const FETCH = `for (const url of process.argv.slice(2)) {
  try {
    const response = await fetch(url);
    console.log(\`\${await response.text()}|\${response.status}|\`);
  } catch (error) {
    console.log(\`||\${error.cause?.code ?? error.name}\`);
  }
}
process.exit();
`;
const NODE_HTTP = `import { Agent, get } from 'node:http';
const agent = new Agent({ keepAlive: true });
const ask = (url) => new Promise((resolve, reject) => {
  get(url, { agent }, (response) => {
    let content = '';
    response.setEncoding('latin1').on('data', (text) => (content += text));
    response.on('error', reject).on('end', () => resolve(\`\${content}|\${response.statusCode}|\`));
  }).on('error', reject);
});
for (const url of process.argv.slice(2)) {
  console.log(await ask(url).catch((error) => \`||\${error.code ?? error.name}\`));
}
process.exit();
`;
const JAVA_CLIENT = `import java.net.URI;
import java.net.http.*;
public class Ask {
  public static void main(String[] urls) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (String url : urls) {
      try {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
        HttpResponse<String> got = client.send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(got.body() + "|" + got.statusCode() + "|");
      } catch (Exception error) {
        System.out.println("||" + error.getClass().getSimpleName());
      }
    }
    System.exit(0);
  }
}
`;
const JAVA_URL = `import java.io.InputStream;
import java.net.*;
public class Ask {
  public static void main(String[] urls) {
    for (String url : urls) {
      try {
        HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
        int status = connection.getResponseCode();
        InputStream stream = connection.getErrorStream();
        if (status < 400) stream = connection.getInputStream();
        String content = stream == null ? "" : new String(stream.readAllBytes(), "latin1");
        System.out.println(content + "|" + status + "|");
      } catch (Exception error) {
        System.out.println("||" + error.getClass().getSimpleName());
      }
    }
  }
}
`;
const GO = `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	for _, url := range os.Args[1:] {
		response, err := http.Get(url)
		if err == nil {
			var content []byte
			content, err = io.ReadAll(response.Body)
			response.Body.Close()
			if err == nil {
				fmt.Printf("%s|%d|\\n", content, response.StatusCode)
				continue
			}
		}
		fmt.Printf("||error\\n")
	}
}
`;
const DOTNET = `using var client = new HttpClient();
foreach (var url in args)
{
    try
    {
        var response = await client.GetAsync(url);
        var content = await response.Content.ReadAsStringAsync();
        Console.WriteLine($"{content}|{(int)response.StatusCode}|");
    }
    catch (Exception error)
    {
        Console.WriteLine($"||{error.GetType().Name}");
    }
}
`;
const DOTNET_PROJECT = `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
  </PropertyGroup>
</Project>
`;
const LWP = `use LWP::UserAgent;
$| = 1;
my $client = LWP::UserAgent->new(keep_alive => 1);
for my $url (@ARGV) {
  my $got = $client->get($url);
  my @signs = ('Client-Warning', 'Client-Aborted', 'X-Died');
  my $failed = grep { $got->header($_) } @signs;
  print $failed ? "||error\\n" : $got->content . '|' . $got->code . "|\\n";
}
`;
const TINY = `use HTTP::Tiny;
$| = 1;
my $client = HTTP::Tiny->new;
for my $url (@ARGV) {
  my $got = $client->get($url);
  print $got->{status} == 599 ? "||error\\n" : "$got->{content}|$got->{status}|\\n";
}
`;
const RUBY = `require 'net/http'
$stdout.sync = true
uri = URI(ARGV[0])
Net::HTTP.start(uri.host, uri.port) do |client|
  ARGV.each do |url|
    begin
      got = client.get(URI(url).path)
      puts "#{got.body}|#{got.code}|"
    rescue StandardError => error
      puts "||#{error.class}"
    end
  end
end
`;
const CURL =
  'curl -s -w "|%{http_code}|%{errormsg}\\n" "$1" --next -s -w "|%{http_code}|%{errormsg}\\n" "$2"';
const WGET =
  'wget -q -t 1 -O - "$1"; code=$?; [ $code = 0 ] && echo "|200|" || echo "||exit $code"';
const PYTHON = '/usr/bin/python3';

export const CLIENTS: readonly ClientKind[] = [
  {
    name: 'curl',
    version: ['curl ', 'curl', '--version'],
    command: ['sh', '-c', CURL, 'sh'],
  },
  {
    name: 'wget',
    version: ['Wget ', 'wget', '--version'],
    command: ['sh', '-c', WGET, 'sh'],
  },
  {
    name: 'http.client',
    version: ['Python ', PYTHON, '--version'],
    files: { 'ask.py': HTTP_CLIENT },
    command: [PYTHON, 'ask.py'],
  },
  {
    name: 'requests',
    version: ['', PYTHON, '-c', 'import requests; print(requests.__version__)'],
    files: { 'ask.py': REQUESTS },
    command: [PYTHON, 'ask.py'],
  },
  {
    name: 'httpx',
    version: ['', PYTHON, '-c', 'import httpx; print(httpx.__version__)'],
    files: { 'ask.py': HTTPX },
    command: [PYTHON, 'ask.py'],
  },
  {
    name: 'aiohttp',
    version: ['', PYTHON, '-c', 'import aiohttp; print(aiohttp.__version__)'],
    files: { 'ask.py': AIOHTTP },
    command: [PYTHON, 'ask.py'],
  },
  {
    name: 'Node http',
    version: ['v', 'node', '--version'],
    files: { 'ask.mjs': NODE_HTTP },
    command: ['node', 'ask.mjs'],
  },
  {
    name: 'Node fetch',
    version: ['v', 'node', '--version'],
    files: { 'ask.mjs': FETCH },
    command: ['node', 'ask.mjs'],
  },
  {
    name: 'Java HttpClient',
    version: ['openjdk ', 'java', '--version'],
    files: { 'Ask.java': JAVA_CLIENT },
    build: ['javac', 'Ask.java'],
    command: ['java', '-Xshare:auto', 'Ask'],
  },
  {
    name: 'HttpURLConnection',
    version: ['openjdk ', 'java', '--version'],
    files: { 'Ask.java': JAVA_URL },
    build: ['javac', 'Ask.java'],
    command: ['java', '-Xshare:auto', 'Ask'],
  },
  {
    name: 'Go',
    version: ['go', 'go', 'version'],
    files: { 'ask.go': GO },
    build: ['go', 'build', '-o', 'ask', 'ask.go'],
    command: ['./ask'],
  },
  {
    name: '.NET',
    version: ['', 'dotnet', '--version'],
    files: { 'Program.cs': DOTNET, 'ask.csproj': DOTNET_PROJECT },
    build: ['dotnet', 'build', '-o', 'out', '-v', 'q', '--nologo'],
    command: ['dotnet', 'out/ask.dll'],
  },
  {
    name: 'LWP',
    version: ['', 'perl', '-MLWP', '-e', 'print $LWP::VERSION'],
    files: { 'ask.pl': LWP },
    command: ['perl', 'ask.pl'],
  },
  {
    name: 'HTTP::Tiny',
    version: ['', 'perl', '-MHTTP::Tiny', '-e', 'print $HTTP::Tiny::VERSION'],
    files: { 'ask.pl': TINY },
    command: ['perl', 'ask.pl'],
  },
  {
    name: 'Net::HTTP',
    version: ['ruby ', 'ruby', '--version'],
    files: { 'ask.rb': RUBY },
    command: ['ruby', 'ask.rb'],
  },
];
