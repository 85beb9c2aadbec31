use LWP::UserAgent;
$| = 1;
my $client = LWP::UserAgent->new(keep_alive => 1);
my $method = shift @ARGV;
for my $url (@ARGV) {
  my $got = $client->request(HTTP::Request->new($method, $url));
  my @signs = ('Client-Warning', 'Client-Aborted', 'X-Died');
  my $failed = grep { $got->header($_) } @signs;
  print $failed ? "||error\n" : $got->content . '|' . $got->code . "|\n";
  $method = 'GET';
}
