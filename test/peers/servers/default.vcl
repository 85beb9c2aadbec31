vcl 4.1;
backend none none;
sub vcl_recv { return (synth(200)); }
