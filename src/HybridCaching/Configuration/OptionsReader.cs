using Microsoft.Extensions.Configuration;

namespace HybridCaching.Configuration;

/// <summary>Reads options from a section of the configuration, setting by setting.</summary>
/// <remarks>Not left to the configuration binder: its source generator does not know <see cref="ByteSize"/> and leaves it at its default without a word.</remarks>
internal static class OptionsReader
{
    private static readonly Dictionary<string, Action<FasterCacheOptions, Setting>> OfEvery = new(StringComparer.OrdinalIgnoreCase)
    {
        [nameof(FasterCacheOptions.Name)] = (o, s) => o.Name = s.Text,
        [nameof(FasterCacheOptions.Directory)] = (o, s) => o.Directory = s.Text,
        [nameof(FasterCacheOptions.MemoryBudget)] = (o, s) => o.MemoryBudget = s.Size(),
        [nameof(FasterCacheOptions.DiskBudget)] = (o, s) => o.DiskBudget = s.Size(),
        [nameof(FasterCacheOptions.DiskWriteBudget)] = (o, s) => o.DiskWriteBudget = s.Size(),
        [nameof(FasterCacheOptions.DiskIo)] = (o, s) => o.DiskIo = s.OneOf<DiskIo>(),
        [nameof(FasterCacheOptions.HotTierShare)] = (o, s) => o.HotTierShare = s.Share(),
        [nameof(FasterCacheOptions.DefaultTimeToLive)] = (o, s) => o.DefaultTimeToLive = s.Time(mayBeInfinite: true),
        [nameof(FasterCacheOptions.CheckpointInterval)] = (o, s) => o.CheckpointInterval = s.Time(),
        [nameof(FasterCacheOptions.DiskTimeout)] = (o, s) => o.DiskTimeout = s.Time(),
        [nameof(FasterCacheOptions.WhenDirectoryUnavailable)] = (o, s) => o.WhenDirectoryUnavailable = s.OneOf<DirectoryUnavailable>(),
        [nameof(FasterCacheOptions.SchemaVersion)] = (o, s) => o.SchemaVersion = s.Whole(),
    };

    private static readonly Dictionary<string, Action<FasterDistributedCacheOptions, Setting>> OfBytes = new(StringComparer.OrdinalIgnoreCase)
    {
        [nameof(FasterDistributedCacheOptions.MaximumValueBytes)] = (o, s) => o.MaximumValueBytes = s.Size(),
        [nameof(FasterDistributedCacheOptions.DefaultSlidingExpiration)] = (o, s) => o.DefaultSlidingExpiration = s.Time(mayBeInfinite: true),
        [nameof(FasterDistributedCacheOptions.TypicalEntryBytes)] = (o, s) => o.TypicalEntryBytes = s.Size(),
    };

    /// <summary>What sets options from a section, once they are wanted.</summary>
    /// <exception cref="ArgumentNullException">There is no section.</exception>
    public static Action<FasterCacheOptions> Of(IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(section, "configuration");
        return options => Read(section, options);
    }

    /// <summary>Sets the options that the section has a value for; an empty value is none.</summary>
    /// <exception cref="InvalidOperationException">A value is not understood, or is for no option; the message names its path, the value and what would do.</exception>
    public static void Read(IConfiguration section, FasterCacheOptions options)
    {
        if (section is IConfigurationSection { Value.Length: > 0 } value && !section.GetChildren().Any()) throw new InvalidOperationException($"Configuration '{value.Path}' has a value, where a section with options is needed: {nameof(options.MemoryBudget)}, {nameof(options.Directory)} and others.");
        var bytes = options as FasterDistributedCacheOptions;
        foreach (var setting in Setting.In(section))
        {
            if (OfEvery.TryGetValue(setting.Name, out var set)) set(options, setting);
            else if (bytes is not null && OfBytes.TryGetValue(setting.Name, out var setBytes)) setBytes(bytes, setting);
            else if (!setting.IsSection) throw setting.Unknown(bytes is null ? OfEvery.Keys : [.. OfEvery.Keys, .. OfBytes.Keys]);
        }
    }
}
