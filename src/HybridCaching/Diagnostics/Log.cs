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

    [LoggerMessage(7, LogLevel.Warning, "Cache {Name} was closed without a checkpoint, the next start is as after a kill: {Reason}.")]
    public static partial void ClosedWithoutCheckpoint(ILogger logger, string name, string reason);

    [LoggerMessage(8, LogLevel.Warning, "Cache {Name} has a DiskBudget of {DiskBudget}, but only {Free} are free in {Folder}.")]
    public static partial void DiskBudgetAboveFreeSpace(ILogger logger, string name, ByteSize diskBudget, ByteSize free, string folder);

    [LoggerMessage(9, LogLevel.Error, "Cache {Name}: housekeeping failed and goes on.")]
    public static partial void HousekeepingFailed(ILogger logger, string name, Exception exception);

    [LoggerMessage(10, LogLevel.Warning, "Cache {Name} does not store {Bytes} bytes under a key of {KeyLength} characters: MaximumValueBytes is {Limit}, these budgets hold values up to {Held:H}, keys may have {KeyLimit} characters.")]
    public static partial void TooLarge(ILogger logger, string name, long bytes, int keyLength, ByteSize limit, ByteSize held, int keyLimit);

    [LoggerMessage(11, LogLevel.Warning, "Cache {Name} was cleared: there are more tag markers than the {Bytes} that may be kept, and without one of them what it invalidates would come back.")]
    public static partial void MarkersOverflowed(ILogger logger, string name, ByteSize bytes);

    [LoggerMessage(12, LogLevel.Warning, "Cache {Name}: {Count} disk reads failed, each a miss. The last one: {Reason}. Said again at most once a minute.")]
    public static partial void DiskReadsFailed(ILogger logger, string name, long count, string reason);

    [LoggerMessage(13, LogLevel.Warning, "Cache {Name}: {Count} disk writes failed, what they held is missing. The last one: {Reason}. Said again at most once a minute.")]
    public static partial void DiskWritesFailed(ILogger logger, string name, long count, string reason);

    [LoggerMessage(14, LogLevel.Warning, "Cache {Name}: {Count} records or blocks on the disk were not what had been written, each a miss. Said again at most once a minute.")]
    public static partial void DamageFound(ILogger logger, string name, long count);

    [LoggerMessage(15, LogLevel.Information, "Cache {Name}: the disk works again.")]
    public static partial void DiskWorksAgain(ILogger logger, string name);

    [LoggerMessage(16, LogLevel.Information, "Cache {Name} wrote a checkpoint of about {Entries} entries in {Milliseconds} ms.")]
    public static partial void CheckpointTaken(ILogger logger, string name, long entries, long milliseconds);

    [LoggerMessage(17, LogLevel.Warning, "Cache {Name}: no checkpoint, {Reason}.")]
    public static partial void NoCheckpoint(ILogger logger, string name, string reason);

    [LoggerMessage(18, LogLevel.Warning, "Cache {Name}: its disk is of no use now, {Reason}. It serves what is in memory.")]
    public static partial void DiskInTrouble(ILogger logger, string name, string reason);

    [LoggerMessage(19, LogLevel.Error, "Cache {Name}: a checkpoint that does not hold any more could not be deleted: {Reason}. Delete the folder if {Event} before the cache is closed.")]
    public static partial void CheckpointRemains(ILogger logger, string name, string reason, string @event);

    [LoggerMessage(21, LogLevel.Information, "Cache {Name} has other budgets now: memory {MemoryBudget}, disk {DiskBudget}.")]
    public static partial void Resized(ILogger logger, string name, ByteSize memoryBudget, ByteSize diskBudget);

    [LoggerMessage(22, LogLevel.Information, "Cache {Name}: should the process end without closing it, it starts cold: {Reason}.")]
    public static partial void NotWarmAfterKill(ILogger logger, string name, string reason);

    [LoggerMessage(23, LogLevel.Information, "Cache {Name} was not closed. About {Entries} of its entries were found again in '{Folder}'.")]
    public static partial void Resumed(ILogger logger, string name, long entries, string folder);

    [LoggerMessage(24, LogLevel.Warning, "Cache {Name}: the system's memory file system (/dev/shm) is full, so the cache cannot keep more than about {Entries} entries on the disk.")]
    public static partial void IndexCannotGrow(ILogger logger, string name, long entries);

    [LoggerMessage(25, LogLevel.Warning, "Cache {Name} has a MemoryBudget of {MemoryBudget}, but there are only {Available:H} of memory.")]
    public static partial void MemoryBudgetAboveMemory(ILogger logger, string name, ByteSize memoryBudget, ByteSize available);

    [LoggerMessage(26, LogLevel.Warning, "Cache {Name} has stored {Stored:H} since its log began; from {Most:H} on nothing would be found any more. Restart the process before that.")]
    public static partial void LogNearItsEnd(ILogger logger, string name, ByteSize stored, ByteSize most);
}
