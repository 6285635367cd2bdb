using System.Globalization;

namespace HybridCaching.Devices;

/// <summary>What Linux says of the device that a folder lies on.</summary>
internal static class BlockDevice
{
    private const string All = "/sys/dev/block";

    /// <summary>How many requests may be on their way to it at once, the least of all devices that it is made of; whoever has one more waits in the kernel. Null where that cannot be told: no block device, or one of a file system of several.</summary>
    /// <remarks>Asks the system, never the disk.</remarks>
    public static int? RequestsAtOnce(string folder)
    {
        try
        {
            return UnixFile.DeviceOf(folder) is { } device ? RequestsOf(Path.Combine(All, device)) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>The same for a device, by its folder of the system's.</summary>
    public static int? RequestsOf(string device)
    {
        string folder = Directory.ResolveLinkTarget(device, returnFinalTarget: true)?.FullName ?? device;
        if (File.Exists(Path.Combine(folder, "partition"))) folder = Path.GetDirectoryName(folder)!;
        string slaves = Path.Combine(folder, "slaves");
        return (Directory.Exists(slaves) ? Directory.EnumerateFileSystemEntries(slaves).Select(RequestsOf) : []).Append(OwnRequests(folder)).Min();
    }

    private static int? OwnRequests(string folder)
    {
        string file = Path.Combine(folder, "queue", "nr_requests");
        return File.Exists(file) && int.TryParse(File.ReadAllText(file), CultureInfo.InvariantCulture, out int requests) ? requests : null;
    }
}
