using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Tests;

public sealed class TraceReaderTests : IDisposable
{
    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("a.keys")]
    [InlineData("a.keys.gz")]
    public void Read_KeysFile_RenumbersInOrderOfAppearance(string name)
    {
        byte[] bytes = TraceFile.Keys(70, -5, 70, long.MaxValue, -5);

        var trace = TraceReader.Read(Write(name, name.EndsWith(".gz", StringComparison.Ordinal) ? TraceFile.Gzip(bytes) : bytes));

        Assert.Equal("a", trace.Name);
        Assert.False(trace.IsSized);
        Assert.Equal([0, 1, 0, 2, 1], trace.Requests);
        Assert.Equal([70, -5, long.MaxValue], trace.Keys);
        Assert.Equal([1, 1, 1], trace.Weights);
    }

    [Fact]
    public void Read_KeySizesFile_WeighsKeysByTheirSize()
    {
        var trace = TraceReader.Read(Write("b.keysizes.gz", TraceFile.Gzip(TraceFile.KeySizes((1, 100), (2, 7), (1, 100)))));

        Assert.True(trace.IsSized);
        Assert.Equal([100, 7], trace.Weights);
        Assert.Equal(107, trace.DistinctWeight);
    }

    [Fact]
    public void Read_CutRecord_NamesFileAndPlace() =>
        AssertMalformed("cut.keys.gz", TraceFile.Gzip([.. TraceFile.Keys(1, 2), 3, 4, 5]), "cut.keys.gz, request 3 (byte 16): the file ends after 3 of its 8 bytes");

    [Fact]
    public void Read_SizeOfZero_NamesFileAndPlace() =>
        AssertMalformed("zero.keysizes", TraceFile.KeySizes((1, 5), (2, 0)), "zero.keysizes, request 2 (byte 12): the size of key 2 is 0, not a positive number");

    [Fact]
    public void Read_SizeThatChanges_NamesFileAndPlace() =>
        AssertMalformed("change.keysizes", TraceFile.KeySizes((1, 5), (1, 6)), "change.keysizes, request 2 (byte 12): the size of key 1 is 6, but was 5 before");

    [Fact]
    public void Read_PlainFileWithTheNameOfGzip_NamesFileAndPlace() =>
        AssertMalformed("plain.keys.gz", TraceFile.Keys(1, 2, 3), "plain.keys.gz, request 1 (byte 0): what follows is no gzip, or damaged: ");

    [Fact]
    public void Read_CutGzip_IsNotTakenForTheWhole()
    {
        byte[] whole = TraceFile.Gzip(TraceFile.Keys([.. Enumerable.Range(0, 1000).Select(i => (long)i * i)]));

        AssertMalformed("half.keys.gz", whole[..(whole.Length / 2)], "half.keys.gz, request ");
    }

    [Fact]
    public void Read_NoRequest_NamesTheFile() => AssertMalformed("none.keys", [], "none.keys: there is no request in it");

    [Fact]
    public void Read_OtherName_NamesTheFile() => AssertMalformed("trace.csv", [], "trace.csv: the name of a trace ends in .keys, .keysizes, .keys.gz or .keysizes.gz");

    private void AssertMalformed(string name, byte[] bytes, string message)
    {
        var thrown = Assert.Throws<TraceFormatException>(() => TraceReader.Read(Write(name, bytes)));

        Assert.StartsWith(message, thrown.Message, StringComparison.Ordinal);
    }

    private string Write(string name, byte[] bytes)
    {
        string path = Path.Combine(_directory.Path, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }
}
