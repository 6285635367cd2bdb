using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace HybridCaching;

/// <summary>Reads a <see cref="ByteSize"/> from a JSON number of bytes or from text such as <c>"256MB"</c>; writes text.</summary>
internal sealed class ByteSizeJsonConverter : JsonConverter<ByteSize>
{
    public override ByteSize Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        if (reader.TokenType == JsonTokenType.Number && reader.TryGetInt64(out long bytes) && bytes >= 0) return new ByteSize(bytes);
        if (reader.TokenType == JsonTokenType.String && ByteSize.TryParse(reader.GetString(), CultureInfo.InvariantCulture, out var size)) return size;
        throw new JsonException("A size in bytes is a whole number from 0 or text such as \"256MB\".");
    }

    public override void Write(Utf8JsonWriter writer, ByteSize value, JsonSerializerOptions options) => writer.WriteStringValue(value.ToString());
}
