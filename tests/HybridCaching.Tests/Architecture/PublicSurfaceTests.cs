namespace HybridCaching.Tests.Architecture;

/// <summary>The public surface is frozen in src/HybridCaching/PublicAPI.txt: a change of it shows in review as a change of that file.</summary>
public sealed class PublicSurfaceTests
{
    private const string UpdateVariable = "UPDATE_PUBLIC_API";
    private const string UpdateCommand = UpdateVariable + "=1 dotnet test HybridCache.sln -c Release --filter FullyQualifiedName~PublicSurfaceTests";

    private static string FrozenFile => Repository.Combine("src/HybridCaching/PublicAPI.txt");

    [Fact]
    public void Library_PublicSurface_IsTheFrozenOne()
    {
        var actual = PublicSurface.Describe(typeof(FasterCacheOptions).Assembly);
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1") File.WriteAllText(FrozenFile, string.Join('\n', actual) + "\n");

        string[] frozen = File.Exists(FrozenFile) ? File.ReadAllLines(FrozenFile) : [];
        var differences = frozen.Except(actual).Select(line => "- " + line).Concat(actual.Except(frozen).Select(line => "+ " + line)).ToList();

        Assert.True(frozen.SequenceEqual(actual), $"The public surface differs from PublicAPI.txt, or the lines there are not sorted. If that is meant, run {UpdateCommand}\n{string.Join('\n', differences)}");
    }

    [Fact]
    public void Describe_Sample_ShowsEveryDetailOfItsSignatures() =>
        Assert.Equal(
            [
                "HybridCaching.Tests.Architecture.PublicSurfaceTests.Sample<T> : sealed class, IDisposable where T : unmanaged, IEquatable<T>",
                "HybridCaching.Tests.Architecture.PublicSurfaceTests.Sample<T>(int size = 3)",
                "HybridCaching.Tests.Architecture.PublicSurfaceTests.Sample<T>.Dispose() -> void",
                "HybridCaching.Tests.Architecture.PublicSurfaceTests.Sample<T>.Find<TState>(in T key, out string? text, Func<T, TState> map, CancellationToken token = default) where TState : class -> T?",
                "HybridCaching.Tests.Architecture.PublicSurfaceTests.Sample<T>.Limit = 7 -> const int",
                "HybridCaching.Tests.Architecture.PublicSurfaceTests.Sample<T>.Name { get; init; } -> string?",
                "HybridCaching.Tests.Architecture.PublicSurfaceTests.Sample<T>.Shared { get; } -> static List<string?>",
            ],
            PublicSurface.Describe(typeof(Sample<>)));

    public sealed class Sample<T>(int size = 3) : IDisposable
        where T : unmanaged, IEquatable<T>
    {
        public const int Limit = 7;

        public static List<string?> Shared { get; } = [];

        public string? Name { get; init; }

        public T? Find<TState>(in T key, out string? text, Func<T, TState> map, CancellationToken token = default)
            where TState : class
        {
            text = map(key).ToString() + token.IsCancellationRequested;
            return size > Limit ? key : null;
        }

        public void Dispose() => Hidden();

        internal static void Hidden() { }
    }
}
