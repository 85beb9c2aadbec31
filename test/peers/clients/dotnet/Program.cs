using var client = new HttpClient();
var method = args[0];
foreach (var url in args[1..])
{
    try
    {
        var request = new HttpRequestMessage(new HttpMethod(method), url);
        var response = await client.SendAsync(request);
        var content = await response.Content.ReadAsStringAsync();
        Console.WriteLine($"{content}|{(int)response.StatusCode}|");
    }
    catch (Exception error)
    {
        Console.WriteLine($"||{error.GetType().Name}");
    }
    method = "GET";
}
