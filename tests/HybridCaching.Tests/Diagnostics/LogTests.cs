using System.Reflection;
using HybridCaching.Diagnostics;
using HybridCaching.Tests.Architecture;
using Microsoft.Extensions.Logging;

namespace HybridCaching.Tests.Diagnostics;

/// <summary>Users filter and alert by these ids: an id is never given another meaning.</summary>
public sealed class LogTests
{
    private static readonly (int Id, LogLevel Level, string Name)[] Frozen =
    [
        (1, LogLevel.Information, "Opened"),
        (2, LogLevel.Information, "OpenedInMemory"),
        (3, LogLevel.Information, "Recovered"),
        (4, LogLevel.Warning, "StartedCold"),
        (5, LogLevel.Warning, "DirectoryUnavailable"),
        (6, LogLevel.Information, "DirectoryTakenOver"),
        (7, LogLevel.Warning, "ClosedWithoutCheckpoint"),
        (8, LogLevel.Warning, "DiskBudgetAboveFreeSpace"),
        (9, LogLevel.Error, "HousekeepingFailed"),
        (10, LogLevel.Warning, "TooLarge"),
        (11, LogLevel.Warning, "MarkersOverflowed"),
        (12, LogLevel.Warning, "DiskReadsFailed"),
        (13, LogLevel.Warning, "DiskWritesFailed"),
        (14, LogLevel.Warning, "DamageFound"),
        (15, LogLevel.Information, "DiskWorksAgain"),
        (16, LogLevel.Information, "CheckpointTaken"),
        (17, LogLevel.Warning, "NoCheckpoint"),
        (18, LogLevel.Warning, "DiskInTrouble"),
        (19, LogLevel.Error, "CheckpointRemains"),
        (21, LogLevel.Information, "Resized"),
        (22, LogLevel.Information, "NotWarmAfterKill"),
        (23, LogLevel.Information, "Resumed"),
        (24, LogLevel.Warning, "IndexCannotGrow"),
        (25, LogLevel.Warning, "MemoryBudgetAboveMemory"),
        (26, LogLevel.Warning, "LogNearItsEnd"),
    ];

    private static IEnumerable<(MethodInfo Method, LoggerMessageAttribute Message)> Messages =>
        from method in typeof(Log).GetMethods(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static)
        let message = method.GetCustomAttribute<LoggerMessageAttribute>()
        where message is not null
        select (method, message);

    [Fact]
    public void Messages_IdsLevelsAndNames_AreTheFrozenOnes() =>
        Assert.Equal(Frozen, Messages.Select(m => (m.Message.EventId, m.Message.Level, m.Method.Name)).OrderBy(m => m.EventId));

    [Fact]
    public void Messages_Ids_AreUnique() => Assert.Distinct(Messages.Select(m => m.Message.EventId));

    [Fact]
    public void Messages_All_NameTheCache() => Assert.All(Messages, m => Assert.StartsWith("Cache {Name}", m.Message.Message, StringComparison.Ordinal));

    [Fact]
    public void Messages_Parameters_AreNeitherKeysNorValues() =>
        Violations.AssertNone(from message in Messages
                              from parameter in message.Method.GetParameters()
                              where parameter.Name is "key" or "value" || parameter.ParameterType == typeof(byte[])
                              select $"{message.Method.Name}: {parameter.Name}");

    [Fact]
    public void Messages_Page_ListsThemAll()
    {
        string page = File.ReadAllText(Repository.Combine("docs/observability.md"));

        Assert.All(Frozen, message => Assert.Contains($"| {message.Id} | {message.Level} | {message.Name} |", page, StringComparison.Ordinal));
    }

    [Fact]
    public void Sources_LogCalls_AreAllInTheLog() =>
        Violations.AssertNone(from file in Repository.SourceFiles
                              where !file.Path.EndsWith("Diagnostics/Log.cs", StringComparison.Ordinal)
                              where file.Code.Contains(".LogInformation(", StringComparison.Ordinal) || file.Code.Contains(".LogWarning(", StringComparison.Ordinal)
                                  || file.Code.Contains(".LogError(", StringComparison.Ordinal) || file.Code.Contains(".LogDebug(", StringComparison.Ordinal)
                              select file.Path);
}
