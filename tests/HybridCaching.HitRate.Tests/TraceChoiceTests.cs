using HybridCaching.HitRate.Traces;

namespace HybridCaching.HitRate.Tests;

/// <summary>What may be shown to everybody.</summary>
public sealed class TraceChoiceTests
{
    [Theory]
    [InlineData("web07", true)]
    [InlineData("P3", true)]
    [InlineData("scarab", false)]
    [InlineData("a trace that came later", false)]
    public void MayShow_TraceOfThePack_IsForThoseThatSaySo(string trace, bool expected)
    {
        string folder = Directory.CreateTempSubdirectory("hitrate-tests-").FullName;
        try
        {
            File.WriteAllBytes(Path.Combine(folder, "some.keys"), new byte[8]);

            Assert.Equal(expected, new TraceChoice([], TracePack.In(folder), "hitrate").MayShow(trace));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public void MayShow_WithoutAPack_IsForAll() => Assert.True(new TraceChoice([], Pack: null, "hitrate").MayShow("zipf"));
}
