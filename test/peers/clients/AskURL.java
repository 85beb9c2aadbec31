import java.io.InputStream;
import java.net.*;

public class AskURL {
  public static void main(String[] args) {
    for (int index = 1; index < args.length; index += 1) {
      try {
        HttpURLConnection connection = (HttpURLConnection) new URL(args[index]).openConnection();
        connection.setRequestMethod(index == 1 ? args[0] : "GET");
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
