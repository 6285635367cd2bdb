using System.Collections.Immutable;
using HybridCaching.Configuration;

namespace HybridCaching.Store;

internal sealed unsafe partial class SettledIndex
{
    /// <summary>Of a table that is halved so much in one go: writers wait for it. An even number.</summary>
    private const int BucketsAtOnce = 32 << 10;

    /// <summary>Tables that others have taken the place of: somebody may be about to look into them. Their memory is the system's again, their addresses stay.</summary>
    private readonly List<SettledTable> _replaced = [];

    /// <summary>Whether one of its tables has to be halved to be as large as it is to be.</summary>
    public bool MustShrink(ImmutableArray<TableSize> tables) => _tables.Where((t, i) => t.Size.Halvings < tables[i].Halvings).Any();

    /// <summary>Halves a part of a table that is to be halved. Of what finds no place any more, what matters least is lost. The caller holds the locks of all rows; one caller at a time.</summary>
    /// <param name="tables">The sizes of its tables; of one that is to be added nothing is done here.</param>
    public void ShrinkPart(ImmutableArray<TableSize> tables)
    {
        int i = 0;
        while (_tables[i].Size.Halvings >= tables[i].Halvings) i++;
        Halve(_tables[i]);
    }

    /// <summary>Adds the tables that are missing, and replaces those that are of another size; what those had is lost, and what is put into them at this very moment. One caller at a time.</summary>
    public void Grow(ImmutableArray<TableSize> tables)
    {
        var before = _tables;
        _tables = [.. tables.Select((t, i) => i < before.Length && before[i].Size == t ? before[i] : new SettledTable(t))];
        foreach (var lost in before.Except(_tables))
        {
            for (long i = 0; i < lost.Words; i++)
            {
                ulong word = lost.Start[i];
                if (IsLive(word)) Interlocked.Increment(ref _counts.TurnedOut);
                if (word != 0) Forget(word);
            }

            lost.Discard();
            _replaced.Add(lost);
        }
    }

    /// <summary>Two neighbouring buckets become one. Readers, who take no lock, may miss what is moved meanwhile; they compare keys, so they find nothing wrong.</summary>
    private void Halve(SettledTable table)
    {
        Span<ulong> words = stackalloc ulong[2 * BucketWords];
        long end = Math.Min(table.Size.BucketsNow, table.Halved + BucketsAtOnce);
        for (long bucket = table.Halved; bucket < end; bucket += 2)
        {
            int both = bucket + 1 < end ? 2 * BucketWords : BucketWords;
            int live = 0;
            for (int i = 0; i < both; i++)
            {
                // Taken out with an exchange: a word that a sweep empties at this moment is not counted twice.
                ulong word = Interlocked.Exchange(ref table.Start[(bucket * BucketWords) + i], 0);
                if (IsLive(word)) words[live++] = word;
                else if (word != 0) Forget(word);
            }

            if (live > BucketWords) words[..live].Sort((one, other) => RankOf(other).CompareTo(RankOf(one)));
            for (int i = 0; i < live; i++)
            {
                if (i < BucketWords) Volatile.Write(ref table.Start[(bucket / 2 * BucketWords) + i], words[i]);
                else Interlocked.Decrement(ref _counts.Words);
            }

            if (live > BucketWords) Interlocked.Add(ref _counts.TurnedOut, live - BucketWords);
        }

        table.Halve(end);
    }

    private void Forget(ulong word)
    {
        Interlocked.Decrement(ref _counts.Words);
        CountDead(word);
    }
}
