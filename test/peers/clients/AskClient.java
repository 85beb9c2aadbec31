import java.net.URI;
import java.net.http.*;

public class AskClient {
  public static void main(String[] args) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (int index = 1; index < args.length; index += 1) {
      String method = index == 1 ? args[0] : "GET";
      try {
        HttpRequest request = HttpRequest.newBuilder(URI.create(args[index]))
            .method(method, HttpRequest.BodyPublishers.noBody()).build();
        HttpResponse<String> got = client.send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(got.body() + "|" + got.statusCode() + "|");
      } catch (Exception error) {
        System.out.println("||" + error.getClass().getSimpleName());
      }
    }
    System.exit(0);
  }
}
