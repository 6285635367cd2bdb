using BenchmarkDotNet.Running;
using HybridCaching.Benchmarks.Checkpoint;
using HybridCaching.Benchmarks.Disk;
using HybridCaching.Benchmarks.Quick;
using HybridCaching.Benchmarks.Reporting;
using HybridCaching.Benchmarks.Restart;

int work = Array.IndexOf(args, "--work");
if (work >= 0)
{
    if (work + 1 == args.Length)
    {
        Console.Error.WriteLine("--work needs a directory.");
        return 2;
    }

    Environment.SetEnvironmentVariable(WorkDirectory.RootVariable, Path.GetFullPath(args[work + 1]));
    args = [.. args[..work], .. args[(work + 2)..]];
}

var repository = Repository.Find();
if (args is [QuickRun.Command]) return new QuickRun(new ResultFiles(repository)).Run();
if (args is [DiskRun.Command]) return new DiskRun(new ResultFiles(repository)).Run();
if (args is [MeterRun.Command]) return new MeterRun(new ResultFiles(repository)).Run();
if (args is [RestartChild.Command, var task, var directory]) return await RestartChild.RunAsync(task, directory);
if (args is [RestartRun.Command]) return new RestartRun(new ResultFiles(repository)).Run();
if (args is [CheckpointRun.Command]) return new CheckpointRun(new ResultFiles(repository)).Run();
if (args is [BytesRun.Command]) return new BytesRun(new ResultFiles(repository)).Run();

bool namesJob = args.Any(argument => argument is "-j" or "--job" || argument.StartsWith("--job=", StringComparison.Ordinal));
var config = BenchmarkConfig.Create(repository.Artifacts, withJob: !namesJob);
var summaries = BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args, config);
new SuiteTables(new ResultFiles(repository)).Publish(summaries, config);
return summaries.All(summary => summary.Reports.All(report => report.Success)) ? 0 : 1;
