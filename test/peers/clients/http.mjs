import { Agent, request } from 'node:http';

const [method, ...urls] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const ask = (url, method) =>
  new Promise((resolve, reject) => {
    request(url, { agent, method }, (response) => {
      let content = '';
      response.setEncoding('latin1').on('data', (text) => (content += text));
      response.on('error', reject);
      response.on('end', () => resolve(`${content}|${response.statusCode}|`));
    })
      .on('error', reject)
      .end();
  });
for (const [index, url] of urls.entries()) {
  const answer = ask(url, index === 0 ? method : 'GET');
  console.log(await answer.catch((error) => `||${error.code ?? error.name}`));
}
process.exit();
