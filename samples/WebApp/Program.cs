using WebApp;

await WebAppProgram.Build(args).RunAsync();
