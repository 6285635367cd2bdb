using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace HybridCaching;

/// <summary>Reads a <see cref="ByteSize"/> from a JSON number of bytes or from text such as <c>"256MB"</c>; writes text.</summary>
/// <remarks>Serializers find it through <see cref="ByteSize"/> itself. It is public because code that the JSON source generator writes has to construct it. Thread-safe.</remarks>
public sealed class ByteSizeJsonConverter : JsonConverter<ByteSize>
{
    /// <inheritdoc/>
    public override ByteSize Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        if (reader.TokenType == JsonTokenType.Number && reader.TryGetInt64(out long bytes) && bytes >= 0) return new ByteSize(bytes);
        if (reader.TokenType == JsonTokenType.String && ByteSize.TryParse(reader.GetString(), CultureInfo.InvariantCulture, out var size)) return size;
        throw new JsonException("A size in bytes is a whole number from 0 or text such as \"256MB\".");
    }

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, ByteSize value, JsonSerializerOptions options) => writer.WriteStringValue(value.ToString());
}
