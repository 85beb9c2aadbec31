require 'net/http'
$stdout.sync = true
method, *urls = ARGV
uri = URI(urls[0])
Net::HTTP.start(uri.host, uri.port) do |client|
  urls.each_with_index do |url, index|
    got = client.send_request(index.zero? ? method : 'GET', URI(url).path)
    puts "#{got.body}|#{got.code}|"
  rescue StandardError => error
    puts "||#{error.class}"
  end
end
