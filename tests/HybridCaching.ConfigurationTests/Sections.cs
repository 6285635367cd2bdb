using Microsoft.Extensions.Configuration;

namespace HybridCaching.ConfigurationTests;

/// <summary>Sections of a configuration in memory.</summary>
internal static class Sections
{
    private const string Name = "Cache";

    public static IConfigurationSection Of(params (string Key, string Value)[] values) =>
        new ConfigurationBuilder().AddInMemoryCollection(values.Select(v => KeyValuePair.Create($"{Name}:{v.Key}", (string?)v.Value))).Build().GetSection(Name);
}
