const [method, ...urls] = process.argv.slice(2);
for (const [index, url] of urls.entries()) {
  try {
    const response = await fetch(url, { method: index === 0 ? method : 'GET' });
    console.log(`${await response.text()}|${response.status}|`);
  } catch (error) {
    console.log(`||${error.cause?.code ?? error.name}`);
  }
}
process.exit();
