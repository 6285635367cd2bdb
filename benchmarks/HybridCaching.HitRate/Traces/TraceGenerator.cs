namespace HybridCaching.HitRate.Traces;

/// <summary>Makes traces, each of one kind of load. The same settings give the same requests on every machine.</summary>
internal sealed class TraceGenerator
{
    /// <summary>Below 1, as <see cref="ZipfRanks"/> asks; block and web traces are less skewed.</summary>
    private const double Skew = 0.9;

    private const int Scans = 10;
    private const int Shifts = 10;
    private const int SmallestSize = 64;
    private const int Doublings = 10;

    private readonly Action<TraceBuilder, GeneratorSettings> _fill;
    private readonly bool _isSized;

    private TraceGenerator(string name, string description, Action<TraceBuilder, GeneratorSettings> fill, bool isSized = false)
    {
        Name = name;
        Description = description;
        _fill = fill;
        _isSized = isSized;
    }

    public static IReadOnlyList<TraceGenerator> All { get; } =
    [
        new("zipf", "keys by Zipf 0.9", Zipf),
        new("scan", "keys by Zipf 0.9, ten times interrupted by a scan of keys that never come again", Scan),
        new("loop", "all keys in a circle", Loop),
        new("shift", "keys by Zipf 0.9, which ten times become others", Shift),
        new("sizes", "keys by Zipf 0.9, of 64 bytes to 64 KiB; one in eleven is of each doubling", Sizes, isSized: true),
    ];

    public string Name { get; }

    public string Description { get; }

    public Trace Create(GeneratorSettings settings)
    {
        var builder = new TraceBuilder(Name, _isSized);
        _fill(builder, settings);
        return builder.Build();
    }

    private static void Zipf(TraceBuilder builder, GeneratorSettings settings)
    {
        var draw = new ScatteredZipf(settings);
        for (int i = 0; i < settings.Requests; i++) builder.Add(draw.Next());
    }

    /// <summary>Half of all requests are scans.</summary>
    private static void Scan(TraceBuilder builder, GeneratorSettings settings)
    {
        var draw = new ScatteredZipf(settings);
        long scanned = settings.Keys;
        for (int i = 0; i < settings.Requests; i++)
        {
            bool isScan = (i * 2L * Scans / settings.Requests) % 2 == 1;
            builder.Add(isScan ? scanned++ : draw.Next());
        }
    }

    private static void Loop(TraceBuilder builder, GeneratorSettings settings)
    {
        for (int i = 0; i < settings.Requests; i++) builder.Add(i % settings.Keys);
    }

    private static void Shift(TraceBuilder builder, GeneratorSettings settings)
    {
        var draw = new ScatteredZipf(settings);
        for (int i = 0; i < settings.Requests; i++)
        {
            long phase = i * (long)Shifts / settings.Requests;
            builder.Add((draw.Next() + (phase * settings.Keys / Shifts)) % settings.Keys);
        }
    }

    private static void Sizes(TraceBuilder builder, GeneratorSettings settings)
    {
        var draw = new ScatteredZipf(settings);
        var random = new Random(settings.Seed + 2);
        int[] sizes = new int[settings.Keys];
        for (int key = 0; key < sizes.Length; key++) sizes[key] = SmallestSize << random.Next(Doublings + 1);
        for (int i = 0; i < settings.Requests; i++)
        {
            long key = draw.Next();
            builder.Add(key, sizes[key]);
        }
    }

    /// <summary>Draws keys by Zipf; the popular ones lie scattered over all.</summary>
    private sealed class ScatteredZipf
    {
        private readonly long[] _keyOfRank;
        private readonly ZipfRanks _ranks;

        public ScatteredZipf(GeneratorSettings settings)
        {
            _keyOfRank = new long[settings.Keys];
            for (int key = 0; key < settings.Keys; key++) _keyOfRank[key] = key;
            new Random(settings.Seed).Shuffle(_keyOfRank);
            _ranks = new ZipfRanks(settings.Keys, Skew, new Random(settings.Seed + 1));
        }

        public long Next() => _keyOfRank[_ranks.Next()];
    }
}
