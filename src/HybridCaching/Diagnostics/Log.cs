using Microsoft.Extensions.Logging;

namespace HybridCaching.Diagnostics;

/// <summary>Every message the library logs. Ids are stable; keys and values never appear.</summary>
internal static partial class Log
{
    [LoggerMessage(1, LogLevel.Information, "Cache {Name} is open in {Folder}: memory {MemoryBudget}, disk {DiskBudget}.")]
    public static partial void Opened(ILogger logger, string name, string folder, ByteSize memoryBudget, ByteSize diskBudget);

    [LoggerMessage(2, LogLevel.Information, "Cache {Name} keeps its entries in memory only ({MemoryBudget}): Directory is not set.")]
    public static partial void OpenedInMemory(ILogger logger, string name, ByteSize memoryBudget);

    [LoggerMessage(3, LogLevel.Information, "Cache {Name} recovered about {Entries} entries from {Folder}.")]
    public static partial void Recovered(ILogger logger, string name, long entries, string folder);

    [LoggerMessage(4, LogLevel.Warning, "Cache {Name} starts empty: {Folder} cannot be reused, {Reason}.")]
    public static partial void StartedCold(ILogger logger, string name, string folder, string reason);

    [LoggerMessage(5, LogLevel.Warning, "Cache {Name} serves from memory only: {Reason}. It tries again every few seconds.")]
    public static partial void DirectoryUnavailable(ILogger logger, string name, string reason);

    [LoggerMessage(6, LogLevel.Information, "Cache {Name} has taken over {Folder}; its disk tier starts empty.")]
    public static partial void DirectoryTakenOver(ILogger logger, string name, string folder);

    [LoggerMessage(7, LogLevel.Warning, "Cache {Name} was closed without a checkpoint, the next start is cold: {Reason}.")]
    public static partial void ClosedWithoutCheckpoint(ILogger logger, string name, string reason);

    [LoggerMessage(8, LogLevel.Warning, "Cache {Name} has a DiskBudget of {DiskBudget}, but only {Free} are free in {Folder}.")]
    public static partial void DiskBudgetAboveFreeSpace(ILogger logger, string name, ByteSize diskBudget, ByteSize free, string folder);

    [LoggerMessage(9, LogLevel.Error, "Cache {Name}: housekeeping failed and goes on.")]
    public static partial void HousekeepingFailed(ILogger logger, string name, Exception exception);

    [LoggerMessage(10, LogLevel.Warning, "Cache {Name} does not store {Bytes} bytes under a key of {KeyLength} characters: MaximumValueBytes is {Limit}, keys may have {KeyLimit} characters.")]
    public static partial void TooLarge(ILogger logger, string name, long bytes, int keyLength, ByteSize limit, int keyLimit);

    [LoggerMessage(11, LogLevel.Warning, "Cache {Name} was cleared: there are more tag markers than the {Bytes} that may be kept, and without one of them what it invalidates would come back.")]
    public static partial void MarkersOverflowed(ILogger logger, string name, ByteSize bytes);
}
