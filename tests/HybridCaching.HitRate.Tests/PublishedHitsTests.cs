using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Tests;

public sealed class PublishedHitsTests : IDisposable
{
    private const string Header = "trace\tcapacity\tpolicy\thit_percent\thits\trequests\n";

    private readonly TestDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void Read_TwoLines_ReturnsBoth() =>
        Assert.Equal(
            [new PublishedHits("web07", 204, "LRU", 29797, 76118), new PublishedHits("web07", 204, "S3-FIFO", 33322, 76118)],
            PublishedHits.Read(Write(Header + "web07\t204\tLRU\t39.15\t29797\t76118\nweb07\t204\tS3-FIFO\t43.78\t33322\t76118\n")));

    [Theory]
    [InlineData("", "reference.tsv, line 1: the header is not")]
    [InlineData("trace,capacity\n", "reference.tsv, line 1: the header is not")]
    [InlineData(Header + "a\t1\tLRU\t0.5\t1\t2\na\t1\tFIFO\t0.5\n", "reference.tsv, line 3: there are 4 columns, not 6")]
    [InlineData(Header + "a\t1\tLRU\t0.5\tmany\t2\n", "reference.tsv, line 2: column 5 is 'many', not a number")]
    [InlineData(Header + "a\t-1\tLRU\t0.5\t1\t2\n", "reference.tsv, line 2: column 2 is '-1', not a number")]
    public void Read_MalformedFile_NamesFileAndLine(string text, string message)
    {
        var thrown = Assert.Throws<TraceFormatException>(() => PublishedHits.Read(Write(text)));

        Assert.StartsWith(message, thrown.Message, StringComparison.Ordinal);
    }

    private string Write(string text)
    {
        string path = Path.Combine(_directory.Path, PublishedHits.FileName);
        File.WriteAllText(path, text);
        return path;
    }
}
