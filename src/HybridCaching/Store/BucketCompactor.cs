namespace HybridCaching.Store;

/// <summary>Shortens the chains of buckets of FASTER's index and gives the buckets back, which FASTER itself never does.</summary>
/// <remarks>
/// A chain that is never shortened is as long as it has ever had to be, which after some turnovers of the log comes to two to five times as many overflow buckets as the entries need.
/// FASTER keeps a list of free buckets, which takes memory too: once there are enough of them, chains stay as they are.
/// Who may be at work meanwhile, and why no reader misses an entry that is moved: docs/concurrency.md. One caller at a time.
/// </remarks>
internal sealed unsafe class BucketCompactor(HashIndex index)
{
    /// <summary>So many buckets may be free however few there are.</summary>
    private const int FewBuckets = 64;

    /// <summary>After so many chains it is asked whether enough buckets are free.</summary>
    private const int ChainsPerCheck = 16;

    /// <summary>So many chains ahead memory is asked for the second bucket, which may lie anywhere: a look at it takes less than memory takes to answer.</summary>
    private const int ChainsAhead = 4;

    /// <summary>What a chain can give up at once.</summary>
    private const int MostCut = 32;

    private long _next;

    /// <summary>Goes on with a part of the index.</summary>
    /// <param name="chains">How many chains are looked at.</param>
    /// <param name="enoughBuckets">So many buckets free are enough.</param>
    /// <param name="beginAddress">Entries that lead below this address are of no use any more.</param>
    /// <param name="tryLock">Locks out the writers of all keys whose hash ends like its first argument, in the bits of the second; false if one of them is at work.</param>
    /// <param name="unlock">Ends that.</param>
    /// <returns>How many chains were left, since there were enough buckets free.</returns>
    public long Compact(long chains, long enoughBuckets, long beginAddress, Func<ulong, ulong, bool> tryLock, Action<ulong, ulong> unlock)
    {
        ulong mask = (ulong)index.Buckets - 1;
        Span<long> cut = stackalloc long[MostCut];
        for (long left = Math.Min(index.Buckets, chains); left > 0; left--)
        {
            if (left % ChainsPerCheck == 0 && index.FreeBuckets >= Math.Max(FewBuckets, enoughBuckets)) return left;
            long number = _next;
            _next = (_next + 1) & (long)mask;
            index.PrefetchNext(index.FirstBucket((number + ChainsAhead) & (long)mask));
            ulong* first = index.FirstBucket(number);
            if (!IsTooLong(first, beginAddress) || !tryLock((ulong)number, mask)) continue;
            int count = 0;
            index.BeginMove(first);
            while (count < cut.Length && TryShorten(first, beginAddress, out cut[count])) count++;
            index.EndMove();
            unlock((ulong)number, mask);
            foreach (long link in cut[..count]) index.Free(link);
        }

        return 0;
    }

    /// <summary>Hands back the overflow buckets that no chain leads to: a recovered index does not know them. Nobody may use the index meanwhile.</summary>
    /// <param name="firstBucket">The first that may be free.</param>
    /// <param name="endBucket">The end of those that were ever in use.</param>
    public void FreeUnused(long firstBucket, long endBucket)
    {
        var used = new System.Collections.BitArray((int)endBucket);
        for (long number = 0; number < index.Buckets; number++)
        {
            for (ulong* bucket = index.FirstBucket(number); HashIndex.LinkOf(bucket) is var link and > 0 && link < endBucket && !used[(int)link]; bucket = index.Next(bucket)) used[(int)link] = true;
        }

        for (long link = firstBucket; link < endBucket; link++)
        {
            if (!used[(int)link]) index.Free(link);
        }
    }

    /// <summary>Whether the chain's entries would fit one bucket less.</summary>
    private bool IsTooLong(ulong* first, long beginAddress)
    {
        if (HashIndex.LinkOf(first) == 0) return false;
        int spare = -HashIndex.Entries;
        for (ulong* bucket = first; bucket != null; bucket = index.Next(bucket))
        {
            for (int i = 0; i < HashIndex.Entries; i++)
            {
                if (!HashIndex.IsLive(Volatile.Read(ref bucket[i]), beginAddress)) spare++;
            }
        }

        return spare >= 0;
    }

    /// <summary>Moves the entries of the last bucket to free places before it and cuts it off; false if they do not fit or there is only one bucket.</summary>
    private bool TryShorten(ulong* first, long beginAddress, out long cut)
    {
        cut = 0;
        if (!IsTooLong(first, beginAddress)) return false;
        ulong* previous = first;
        while (HashIndex.LinkOf(index.Next(previous)) != 0) previous = index.Next(previous);
        ulong* last = index.Next(previous);
        ulong* to = first;
        int place = 0;
        for (int i = 0; i < HashIndex.Entries; i++)
        {
            if (!HashIndex.IsLive(last[i], beginAddress)) continue;
            while (HashIndex.IsLive(to[place], beginAddress))
            {
                if (++place < HashIndex.Entries) continue;
                place = 0;
                to = index.Next(to);
            }

            Volatile.Write(ref to[place], last[i]);
        }

        cut = HashIndex.CutNext(previous);
        return true;
    }
}
