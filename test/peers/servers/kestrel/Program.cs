var builder = WebApplication.CreateEmptyBuilder(new());
builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:PORT");
var app = builder.Build();
app.Run(async context =>
{
    await context.Request.Body.CopyToAsync(Stream.Null);
    await context.Response.WriteAsync("ok\n");
});
app.Run();
