run ->(env) {
  env['rack.input'].read
  [200, { 'Content-Type' => 'text/plain' }, ["ok\n"]]
}
