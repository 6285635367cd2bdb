using HybridCaching.Benchmarks;
using HybridCaching.Benchmarks.Checkpoint;
using HybridCaching.Benchmarks.Disk;
using HybridCaching.Benchmarks.Pages;
using HybridCaching.Benchmarks.Quick;
using HybridCaching.Benchmarks.Restart;

if (BenchmarkCommandLine.Parse(args, out int exitCode) is not { } options) return exitCode;
if (options.Work is not null) Environment.SetEnvironmentVariable(WorkDirectory.RootVariable, options.Work);
var repository = Repository.Find();
if (options.Rest is [TargetsRun.Command]) return new TargetsRun(new ResultFiles(repository)).Run();
if (options.Rest is [TargetsRun.QuickCommand]) return TargetsRun.RunOnce();
if (options.Rest is [DiskRun.Command]) return new DiskRun(new ResultFiles(repository)).Run();
if (options.Rest is [ColdProcess.Command, var folder, var name, var usesIoUring]) return ColdProcess.Serve(folder, name, bool.Parse(usesIoUring));
if (options.Rest is [MeterRun.Command]) return new MeterRun(new ResultFiles(repository)).Run();
if (options.Rest is [RestartChild.Command, var task, var directory]) return await RestartChild.RunAsync(task, directory);
if (options.Rest is [RestartRun.Command]) return new RestartRun(new ResultFiles(repository)).Run();
if (options.Rest is [CheckpointRun.Command]) return new CheckpointRun(new ResultFiles(repository)).Run();
if (options.Rest is [BytesRun.Command]) return new BytesRun(new ResultFiles(repository)).Run();

if (options.Rest is [PageRun.Command]) return new PageRun(repository).Run();
return new SuiteRun(repository, options).Run();
