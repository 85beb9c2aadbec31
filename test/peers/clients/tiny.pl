use HTTP::Tiny;
$| = 1;
my $client = HTTP::Tiny->new;
my $method = shift @ARGV;
for my $url (@ARGV) {
  my $got = $client->request($method, $url);
  my $content = $got->{content} // '';
  print $got->{status} == 599 ? "||error\n" : "$content|$got->{status}|\n";
  $method = 'GET';
}
