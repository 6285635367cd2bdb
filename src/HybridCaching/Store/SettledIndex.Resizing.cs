using System.Collections.Immutable;
using HybridCaching.Configuration;

namespace HybridCaching.Store;

internal sealed unsafe partial class SettledIndex
{
    /// <summary>Whether one of its tables has to be halved to be as large as it is to be.</summary>
    public bool MustShrink(ImmutableArray<TableSize> tables) => _tables.Where((t, i) => t.Size.Halvings < tables[i].Halvings).Any();

    /// <summary>Halves its tables as often as they are to be. Of what finds no place any more, what matters least is lost. The caller holds the locks of all rows; one caller at a time.</summary>
    /// <param name="tables">The sizes of its tables; of one that is to be added nothing is done here.</param>
    public void Shrink(ImmutableArray<TableSize> tables)
    {
        for (int i = 0; i < _tables.Length; i++)
        {
            while (_tables[i].Size.Halvings < tables[i].Halvings) Halve(_tables[i]);
        }
    }

    /// <summary>Adds the tables that are missing. One caller at a time.</summary>
    public void Grow(ImmutableArray<TableSize> tables) => _tables = [.. _tables, .. tables.Skip(_tables.Length).Select(static t => new SettledTable(t))];

    /// <summary>Two neighbouring buckets become one. Readers, who take no lock, may miss what is moved meanwhile; they compare keys, so they find nothing wrong.</summary>
    private void Halve(SettledTable table)
    {
        Span<ulong> words = stackalloc ulong[2 * BucketWords];
        long buckets = table.Size.BucketsNow;
        for (long bucket = 0; bucket < buckets; bucket += 2)
        {
            int both = bucket + 1 < buckets ? 2 * BucketWords : BucketWords;
            int live = 0;
            for (int i = 0; i < both; i++)
            {
                // Taken out with an exchange: a word that a sweep empties at this moment is not counted twice.
                ulong word = Interlocked.Exchange(ref table.Start[(bucket * BucketWords) + i], 0);
                if (IsLive(word)) words[live++] = word;
                else if (word != 0) Forget(word);
            }

            words[..live].Sort((one, other) => RankOf(other).CompareTo(RankOf(one)));
            for (int i = 0; i < live; i++)
            {
                if (i < BucketWords) Volatile.Write(ref table.Start[(bucket / 2 * BucketWords) + i], words[i]);
                else Interlocked.Decrement(ref _words);
            }

            if (live > BucketWords) Interlocked.Add(ref _turnedOut, live - BucketWords);
        }

        table.Halve();
    }

    private void Forget(ulong word)
    {
        Interlocked.Decrement(ref _words);
        CountDead(word);
    }
}
