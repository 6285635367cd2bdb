using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace HybridCaching.Benchmarks.Disk;

/// <summary>The disk's own speed, as the program fio measures it.</summary>
internal static class Fio
{
    private const string FileName = "fio.dat";
    private const string FileSize = "1g";
    private const int Depth = 32;

    /// <summary>How reads are asked for.</summary>
    public enum Asking
    {
        /// <summary>One after the other from a queue.</summary>
        Queue,

        /// <summary>By threads that each wait for one, and cannot do otherwise.</summary>
        Threads,

        /// <summary>By threads that each wait for one, by the kernel's AIO: they could give up.</summary>
        ThreadsByAio,

        /// <summary>A whole queue, and goes on when all of that has come, as who waits for a batch does.</summary>
        Batches,
    }

    /// <summary>Random reads past the page cache.</summary>
    /// <param name="directory">Where its file lies.</param>
    /// <param name="blockSize">How much it reads at once, as fio takes it.</param>
    /// <param name="asking">How it asks for as many at once.</param>
    /// <exception cref="InvalidOperationException">fio is not there, or could not do it.</exception>
    public static ColdResult RandomRead(WorkDirectory directory, string blockSize, Asking asking)
    {
        string engine = asking switch
        {
            Asking.Threads => string.Create(CultureInfo.InvariantCulture, $"--ioengine=psync --numjobs={Depth} --thread --group_reporting"),
            Asking.ThreadsByAio => string.Create(CultureInfo.InvariantCulture, $"--ioengine=libaio --iodepth=1 --numjobs={Depth} --thread --group_reporting"),
            Asking.Batches => string.Create(CultureInfo.InvariantCulture, $"--ioengine=libaio --iodepth={Depth} --iodepth_batch_submit={Depth} --iodepth_batch_complete_min={Depth} --iodepth_batch_complete_max={Depth}"),
            _ => string.Create(CultureInfo.InvariantCulture, $"--ioengine=libaio --iodepth={Depth}"),
        };
        string arguments = string.Create(
            CultureInfo.InvariantCulture,
            $"--name=reads --filename={Path.Combine(directory.Path, FileName)} --size={FileSize} --rw=randread --bs={blockSize} --direct=1 --norandommap --time_based --runtime={ColdGets.Duration.TotalSeconds} --lat_percentiles=1 --clat_percentiles=0 --percentile_list=98:99 --output-format=json {engine}");
        using var process = Start(arguments);
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0) throw new InvalidOperationException($"fio ended with {process.ExitCode}: {output}");
        using var json = JsonDocument.Parse(output.AsMemory(output.IndexOf('{', StringComparison.Ordinal)));
        var job = json.RootElement.GetProperty("jobs")[0];
        var reads = job.GetProperty("read");
        var percentiles = reads.GetProperty("lat_ns").GetProperty("percentile");
        double seconds = job.GetProperty("job_runtime").GetDouble() / 1000; // of all threads together
        double cpu = (job.GetProperty("usr_cpu").GetDouble() + job.GetProperty("sys_cpu").GetDouble()) / 100 * seconds;
        return new ColdResult(
            reads.GetProperty("iops").GetDouble(),
            percentiles.GetProperty("98.000000").GetDouble() / 1000,
            percentiles.GetProperty("99.000000").GetDouble() / 1000,
            cpu / reads.GetProperty("total_ios").GetDouble() * 1e6,
            1);
    }

    /// <summary>Whether there is such a program.</summary>
    public static bool IsThere
    {
        get
        {
            try
            {
                using var process = Start("--version");
                process.WaitForExit();
                return process.ExitCode == 0;
            }
            catch (InvalidOperationException)
            {
                return false;
            }
        }
    }

    private static Process Start(string arguments)
    {
        try
        {
            return Process.Start(new ProcessStartInfo("fio", arguments) { RedirectStandardOutput = true })!;
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            throw new InvalidOperationException("fio is missing: there is nothing to compare with.", e);
        }
    }
}
