using System.Text.Json.Serialization;

namespace HybridCaching.Recovery;

/// <summary>Writes and reads the manifest without reflection.</summary>
[JsonSourceGenerationOptions(WriteIndented = true)]
[JsonSerializable(typeof(Manifest))]
internal sealed partial class ManifestJson : JsonSerializerContext;
