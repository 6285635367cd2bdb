using HybridCaching.Records;

namespace HybridCaching.Tests.Records;

public sealed class KeyTextTests
{
    private const int Longest = 80;

    private static readonly char[] Strangers = ['\u0080', '\u00ff', '\u0100', 'ü', '\ud800', '\uffff'];

    [Fact]
    public void Encode_AsciiOfAnyLength_TakesAByteForEachCharacterAndOneMore()
    {
        for (int length = 0; length <= Longest; length++)
        {
            string key = Ascii(length);
            byte[] encoded = KeyText.Encode(key);
            Assert.Equal(1 + length, encoded.Length);
            Assert.Equal(key, KeyText.Decode(encoded));
        }
    }

    [Fact]
    public void Encode_OneOtherCharacterAnywhere_IsTheStringAgain()
    {
        for (int length = 1; length <= Longest; length++)
        {
            for (int at = 0; at < length; at++)
            {
                string key = Ascii(length)[..at] + Strangers[at % Strangers.Length] + Ascii(length)[(at + 1)..];
                byte[] encoded = KeyText.Encode(key);
                Assert.Equal(1 + (2 * length), encoded.Length);
                Assert.Equal(key, KeyText.Decode(encoded));
            }
        }
    }

    [Fact]
    public void Encode_LongestKey_FitsMaximumBytes()
    {
        string key = new('ü', KeyText.MaximumLength);
        Assert.Equal(KeyText.MaximumBytes(KeyText.MaximumLength), KeyText.Encode(key).Length);
    }

    [Fact]
    public void IsText_KeyOfAPiece_IsNone()
    {
        byte[] key = new byte[KeyText.ChunkKeyBytes];
        KeyText.EncodeChunk(1, 2, key);
        Assert.False(KeyText.IsText(key));
    }

    private static string Ascii(int length) => string.Concat(Enumerable.Range(0, length).Select(i => (char)(' ' + (i % 95))));
}
