using System.Text.Json;
using System.Text.Json.Serialization;

namespace WebApp;

/// <summary>The types that become JSON. Their code is generated, so that it is still there when the program is trimmed.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web, WriteIndented = true)]
[JsonSerializable(typeof(Factors))]
[JsonSerializable(typeof(NthPrime))]
[JsonSerializable(typeof(Dictionary<string, CacheFigures>))]
[JsonSerializable(typeof(HealthAnswer))]
[JsonSerializable(typeof(string))] // and below: what is in the data of a health check
[JsonSerializable(typeof(bool))]
[JsonSerializable(typeof(long))]
[JsonSerializable(typeof(double))]
internal sealed partial class WebAppJson : JsonSerializerContext;
