using HybridCaching.Throughput.Contestants;

namespace HybridCaching.Throughput.Tests;

public sealed class ContenderTests : IDisposable
{
    private const int Entries = 5000;

    private readonly TestDirectory _directory = new();

    /// <summary>With the page cache: not every file system of a test machine knows direct I/O.</summary>
    private static Conditions Usual { get; } = new() { ValueBytes = Value1000.Length, Memory = 16 << 20, Ratio = 1, Threads = 2, Seconds = 1, WarmUpSeconds = 0, PageCache = PageCacheUse.Free };

    public static TheoryData<string> Names => [.. Contender.All.Select(contender => contender.Name)];

    public static TheoryData<string> NamesOnDisk => [.. Contender.All.Where(contender => contender.HasDisk).Select(contender => contender.Name)];

    public static TheoryData<string> NamesInOrder => [.. Contender.All.Where(contender => contender.HasOrder).Select(contender => contender.Name)];

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Names))]
    public void Get_StoredEntries_AreFoundWithTheirValues(string name)
    {
        using var contestant = Open(name);
        using var client = contestant.NewClient();
        Fill(client);

        byte[] read = new byte[Value1000.Length];
        for (long number = 0; number < Entries; number++)
        {
            Assert.Equal(Value1000.Length, client.Get(number, read));
            ValueStamp.Check(number, read);
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Get_NeverStored_IsMissing(string name)
    {
        using var contestant = Open(name);
        using var client = contestant.NewClient();
        Fill(client);

        Assert.Equal(IClient.Missing, client.Get(Entries, new byte[Value1000.Length]));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Get_OverwrittenByAnotherClient_IsTheNewValue(string name)
    {
        using var contestant = Open(name);
        using var reader = contestant.NewClient();
        using var writer = contestant.NewClient();
        Fill(writer);
        byte[] value = new byte[Value1000.Length];
        value.AsSpan().Fill(7);
        reader.Get(3, new byte[Value1000.Length]);

        writer.Set(3, value);

        byte[] read = new byte[Value1000.Length];
        reader.Get(3, read);
        Assert.Equal(value, read);
    }

    /// <summary>As workload D does: more entries than there are at first.</summary>
    [Theory]
    [MemberData(nameof(NamesOnDisk))]
    public void Get_EntriesAddedToTheFirst_AreFoundWithTheirValues(string name)
    {
        const int Added = 500;
        using var contestant = Open(name);
        using var client = contestant.NewClient();
        int first = Usual.Entries;
        Fill(client, first + Added);

        byte[] read = new byte[Value1000.Length];
        foreach (long number in Enumerable.Range(first, Added).Append(first / 2).Append(0))
        {
            Assert.Equal(Value1000.Length, client.Get(number, read));
            ValueStamp.Check(number, read);
        }
    }

    [Theory]
    [MemberData(nameof(NamesInOrder))]
    public void Scan_FromStoredEntry_CountsAsManyAsAskedFor(string name)
    {
        using var contestant = Open(name);
        using var client = contestant.NewClient();
        Fill(client);
        long smallest = Enumerable.Range(0, Entries).Select(number => (long)number).MinBy(HybridCaching.Throughput.Workloads.KeyHash.Of);

        Assert.Equal(100, client.Scan(smallest, 100, new byte[Value1000.Length]));
    }

    [Theory]
    [MemberData(nameof(NamesInOrder))]
    public void Scan_OneEntry_IsTheOneAskedFor(string name)
    {
        using var contestant = Open(name);
        using var client = contestant.NewClient();
        Fill(client);
        byte[] read = new byte[Value1000.Length];

        client.Scan(17, 1, read);

        ValueStamp.Check(17, read);
    }

    private static void Fill(IClient client, int entries = Entries)
    {
        byte[] value = new byte[Value1000.Length];
        for (long number = 0; number < entries; number++)
        {
            ValueStamp.Put(number, value);
            client.Set(number, value);
        }
    }

    private IContestant Open(string name)
    {
        var contender = Contender.Named(name);
        if (contender.Library is { IsInstalled: false } library) Assert.Skip($"{name} is not tested: its library is missing (Debian: apt-get install {library.Package}).");
        return contender.Open(Usual, _directory.Path);
    }
}
