using System.Collections.Immutable;
using System.Numerics;
using HybridCaching.Configuration;
using HybridCaching.Diagnostics;

namespace HybridCaching.Store;

internal sealed unsafe partial class SettledIndex
{
    /// <summary>Of a table that shrinks so many columns lose a group in one go: writers wait for it.</summary>
    private const int ColumnsAtOnce = 16 << 10;

    /// <summary>While a table grows, so many columns get another group with each word that is put in: it has grown before what is there is full.</summary>
    private const int ColumnsPerInsert = 8;

    /// <summary>A table gets more groups when so much of it is taken. Up to there hardly a word finds both its buckets full.</summary>
    private const double OccupancyToGrow = 0.8;

    /// <summary>Beyond that, more and more words find no place.</summary>
    private const double OccupancyToWait = 0.9;

    /// <summary>Tables that others have taken the place of: somebody may be about to look into them. Their memory is the system's again, their addresses stay.</summary>
    private readonly List<SettledTable> _replaced = [];

    /// <summary>Held while it is decided how many groups there are to be.</summary>
    private readonly Lock _resizing = new();

    /// <summary>The table that gets a group more, column by column.</summary>
    private SettledTable? _growing;

    /// <summary>The system had no memory for another group when it was last asked.</summary>
    private volatile bool _isGrowthRefused;

    /// <summary>Odd while a word is taken to its other bucket.</summary>
    private long _relocations;

    /// <summary>Whether there should be more places soon, and may be.</summary>
    public bool IsGrowthDue => _growing is null && Count * sizeof(ulong) > OccupancyToGrow * Bytes && NextToGrow is not null;

    /// <summary>Whether so much is taken that no more should be put in before there are more places, if there may be.</summary>
    public bool IsNearlyFull => Count * sizeof(ulong) > OccupancyToWait * Bytes;

    /// <summary>Whether the system had no memory for more places when it was last asked.</summary>
    public bool IsGrowthRefused => _isGrowthRefused;

    /// <summary>Bytes that <see cref="BeginGrowth"/> will take.</summary>
    public long NextGrowthBytes => NextToGrow is { } table ? table.Size.GroupBytes : 0;

    /// <summary>Gives one table another group of buckets, which it gets as words are put in. One caller at a time, the one that puts words in.</summary>
    /// <param name="mostBytes">Nothing happens if it would take more.</param>
    public void BeginGrowth(long mostBytes = long.MaxValue)
    {
        lock (_resizing)
        {
            if (_growing is not null || NextToGrow is not { } table || table.Size.GroupBytes > mostBytes) return;
            _isGrowthRefused = !table.TryReserve(table.Groups + 1);
            if (_isGrowthRefused) return;
            table.Aim(table.Groups + 1);
            _growing = table;
        }
    }

    /// <summary>Ends at once what <see cref="BeginGrowth"/> has begun. Nobody may put words in meanwhile.</summary>
    public void FinishGrowth()
    {
        lock (_resizing)
        {
            if (_growing is { } table) Widen(table, table.Columns);
        }
    }

    /// <summary>From now on tables do not grow beyond others.</summary>
    public void Limit(ImmutableArray<TableSize> tables)
    {
        lock (_resizing)
        {
            for (int i = 0; i < _tables.Length; i++) _tables[i].MostGroups = Math.Min(_tables[i].MostGroups, tables[i].Groups);
        }
    }

    /// <summary>Bytes that the tables take at first that <see cref="Grow"/> would add.</summary>
    public long FirstBytesOfMissing(ImmutableArray<TableSize> tables) =>
        tables.Where((t, i) => i >= _tables.Length || _tables[i].Columns != t.Columns).Sum(t => new TableSize(t.Columns, Math.Min(_firstGroups, t.Groups)).Bytes);

    /// <summary>Whether one of its tables has more groups than it is to have.</summary>
    public bool MustShrink(ImmutableArray<TableSize> tables) => _tables.Where((t, i) => t.GroupsToBe > tables[i].Groups || t.IsShrinking).Any();

    /// <summary>Takes a part of a group from a table that has too many. Of what finds no place any more, what matters least is lost. The caller holds the locks of all rows; one caller at a time.</summary>
    /// <param name="tables">The sizes of its tables; of one that is to be added nothing is done here.</param>
    public void ShrinkPart(ImmutableArray<TableSize> tables)
    {
        lock (_resizing)
        {
            if (_growing is { } growing)
            {
                Widen(growing, ColumnsAtOnce);
                return;
            }

            for (int i = 0; i < _tables.Length; i++)
            {
                var table = _tables[i];
                if (table.Groups <= tables[i].Groups && !table.IsShrinking) continue;
                if (!table.IsShrinking) table.Aim(table.Groups - 1);
                Narrow(table, ColumnsAtOnce);
                return;
            }
        }
    }

    /// <summary>Allows tables as many groups as others have, adds those that are missing, and replaces those that are of another size; what those had is lost. The caller holds the locks of all rows; one caller at a time.</summary>
    public void Grow(ImmutableArray<TableSize> tables)
    {
        using var scope = _resizing.EnterScope();
        var before = _tables;
        for (int i = 0; i < before.Length; i++) before[i].MostGroups = tables[i].Groups;
        _tables = [.. tables.Select((t, i) => i < before.Length && before[i].Columns == t.Columns ? before[i] : new SettledTable(t, Math.Min(_firstGroups, t.Groups), _tagMask))];
        foreach (var lost in before.Except(_tables))
        {
            if (_growing == lost) _growing = null;
            for (long i = 0; i < lost.Words; i++) TurnOut(lost.Start + i);
            lost.DiscardFrom(0);
            _replaced.Add(lost);
        }
    }

    /// <summary>Another number at the end of a look-up means that words of the key may have been where it had not come yet, and went to where it had been already; or that something was dropped. An odd one means nothing.</summary>
    public long ViewOf(ulong hash)
    {
        long places = 0;
        foreach (var table in _tables) places = (places * TableSize.MostGroups * TableSize.MostGroups) + SettledTable.GroupsOf(table.Locate(hash, TagOf(hash)));
        return (places << 32) + (Dropped << 1) + Relocations;
    }

    private long Relocations => Volatile.Read(ref _relocations);

    /// <summary>The table that has the smallest part of the groups it may have.</summary>
    private SettledTable? NextToGrow => _tables.Where(static t => t.Groups < t.MostGroups).MinBy(static t => t.Groups / (double)t.MostGroups);

    /// <summary>Gives some more columns of a table another group.</summary>
    private void Widen(SettledTable table, long columns)
    {
        ulong** places = stackalloc ulong*[TableSize.MostGroups * BucketWords];
        int groups = table.Groups;
        for (long column = table.Moved, end = Math.Min(table.Columns, column + columns); column < end; column++)
        {
            int moving = PlacesToEmpty(table, column, groups, places);
            while (moving > BucketWords) DropOne(table, column, places, ref moving);
            MoveOut(table, column, groups, places, moving);
        }

        if (table.Moved > 0) return;
        _growing = null;
    }

    /// <summary>Finds the places of a column whose words belong to the next group. Words that lead nowhere, or were left by a process that ended suddenly, go.</summary>
    private int PlacesToEmpty(SettledTable table, long column, int groups, ulong** places)
    {
        int count = 0;
        for (int group = 0; group < groups; group++)
        {
            ulong* bucket = table.BucketOf((ulong)column, group);
            for (int i = 0; i < BucketWords; i++)
            {
                ulong word = Volatile.Read(ref bucket[i]);
                if (word == 0) continue;
                int wordClass = ClassOf(word);
                if (SettledTable.GroupOf(groups, wordClass) != group || !IsLive(word)) TakeOut(ref bucket[i], word);
                else if (SettledTable.GroupOf(groups + 1, wordClass) == groups) places[count++] = bucket + i;
            }
        }

        return count;
    }

    /// <summary>More words belong to a bucket than it has room for: one goes to its other bucket, or if none can, the one that matters least is lost.</summary>
    private void DropOne(SettledTable table, long column, ulong** places, ref int count)
    {
        int gone = 0;
        while (gone < count && !TryRelocate(table, places[gone], (ulong)column)) gone++;
        if (gone == count)
        {
            gone = 0;
            for (int i = 1; i < count; i++)
            {
                if (RankOf(Volatile.Read(ref *places[i])) < RankOf(Volatile.Read(ref *places[gone]))) gone = i;
            }

            TurnOut(places[gone]);
        }

        places[gone] = places[--count];
    }

    /// <summary>Takes words of a column to its next group. They are copied, then looked for there, and then taken from where they were: so none is overlooked by a reader, but for one that has to look again; and who finds them after a sudden end of the process finds each at least where it is looked for.</summary>
    private void MoveOut(SettledTable table, long column, int groups, ulong** places, int count)
    {
        table.BeginMove();
        ulong* bucket = table.BucketOf((ulong)column, groups);
        for (int i = 0; i < BucketWords; i++)
        {
            ulong word = i < count ? Volatile.Read(ref *places[i]) : 0; // 0, too, if it was removed meanwhile
            Volatile.Write(ref bucket[i], word);
            if (word != 0) Interlocked.Increment(ref _counts.Words);
        }

        Fault.Point("index.words-copied");
        table.EndMove(column + 1);
        Fault.Point("index.column-moved");
        for (int i = 0; i < count; i++) Empty(places[i]);
    }

    /// <summary>Takes the last group from some more columns of a table. The caller holds the locks of all rows.</summary>
    private void Narrow(SettledTable table, long columns)
    {
        int groups = table.GroupsToBe;
        for (long column = table.Moved - 1, end = Math.Max(0, table.Moved - columns); column >= end; column--)
        {
            ulong* bucket = table.BucketOf((ulong)column, groups);
            for (int i = 0; i < BucketWords; i++)
            {
                ulong word = Volatile.Read(ref bucket[i]);
                if (IsLive(word)) CopyIn(table, column, SettledTable.GroupOf(groups, ClassOf(word)), bucket + i);
                else if (word != 0) TakeOut(ref bucket[i], word);
            }

            table.EndMove(column);
            for (int i = 0; i < BucketWords; i++) Empty(bucket + i);
        }

        if (table.Moved == 0) table.DiscardFrom(groups);
    }

    /// <summary>Copies a word into another bucket of its column, in place of what matters less.</summary>
    private void CopyIn(SettledTable table, long column, int group, ulong* from)
    {
        ulong* bucket = table.BucketOf((ulong)column, group);
        ulong word = Volatile.Read(ref *from);
        if (word == 0) return; // taken out meanwhile
        ulong* to = FreeIn(bucket);
        if (to == null && TryRelocate(table, from, (ulong)column)) return;
        for (int i = 0; to == null && i < BucketWords; i++)
        {
            if (TryRelocate(table, bucket + i, (ulong)column)) to = FreeIn(bucket);
        }

        if (to == null)
        {
            to = bucket;
            for (int i = 1; i < BucketWords; i++)
            {
                if (RankOf(Volatile.Read(ref bucket[i])) < RankOf(Volatile.Read(ref *to))) to = bucket + i;
            }

            if (RankOf(Volatile.Read(ref *to)) > RankOf(word)) to = from;
            TurnOut(to);
            if (to == from) return;
        }

        PutIn(to, word);
    }

    /// <summary>Makes room in one of the buckets of a key, which are full: a word goes to its other bucket.</summary>
    private bool MakePlace(ulong hash)
    {
        foreach (var table in _tables)
        {
            var at = table.Locate(hash, TagOf(hash));
            ulong* first = table.FirstBucket(in at);
            ulong* second = table.SecondBucket(in at);
            for (int i = 0; i < BucketWords; i++)
            {
                if (TryRelocate(table, first + i, at.First) || TryRelocate(table, second + i, at.Second)) return true;
            }
        }

        return false;
    }

    /// <summary>Takes a word to its other bucket, if there is room, or one there that can go to its own. It is copied first, so it is always in one of them, and who removes it meanwhile looks again.</summary>
    private bool TryRelocate(SettledTable table, ulong* from, ulong column) => TryRelocate(table, from, column, avoided: ulong.MaxValue);

    /// <param name="table">Where it is.</param>
    /// <param name="from">Its place.</param>
    /// <param name="column">The column of that.</param>
    /// <param name="avoided">The column from which another is to come here, and which takes nothing in; none if none is.</param>
    private bool TryRelocate(SettledTable table, ulong* from, ulong column, ulong avoided)
    {
        ulong word = Volatile.Read(ref *from);
        if (word == 0) return true;
        ulong other = table.OtherColumn(column, word);
        if (other == column || other == avoided) return false;
        ulong* bucket = table.BucketNow(other, ClassOf(word));
        ulong* to = FreeIn(bucket);
        for (int i = 0; to == null && avoided == ulong.MaxValue && i < BucketWords; i++)
        {
            if (TryRelocate(table, bucket + i, other, avoided: column)) to = FreeIn(bucket);
        }

        if (to == null) return false;
        Interlocked.Increment(ref _relocations);
        word = Volatile.Read(ref *from);
        if (word != 0)
        {
            PutIn(to, word);
            Empty(from);
        }

        Interlocked.Increment(ref _relocations);
        return true;
    }

    /// <summary>An empty place of a bucket, or one whose word leads nowhere; null if there is none.</summary>
    private ulong* FreeIn(ulong* bucket)
    {
        uint free = FreeOf(bucket);
        return free == 0 ? null : bucket + BitOperations.TrailingZeroCount(free);
    }

    /// <summary>Puts a word into a place that nobody else puts one into.</summary>
    private void PutIn(ulong* place, ulong word)
    {
        ulong old = Interlocked.Exchange(ref *place, word);
        if (old == 0) Interlocked.Increment(ref _counts.Words);
        else CountDead(old);
    }

    /// <summary>Empties a place whose word is in another one, too.</summary>
    private void Empty(ulong* place)
    {
        if (Interlocked.Exchange(ref *place, 0) != 0) Interlocked.Decrement(ref _counts.Words);
    }

    private void TurnOut(ulong* place)
    {
        ulong word = Interlocked.Exchange(ref *place, 0);
        if (word == 0) return;
        if (IsLive(word)) Interlocked.Increment(ref _counts.TurnedOut);
        Forget(word);
    }

    /// <summary>Empties a place, unless its word is another one by now.</summary>
    private void TakeOut(ref ulong place, ulong word)
    {
        if (Interlocked.CompareExchange(ref place, 0, word) == word) Forget(word);
    }

    private void Forget(ulong word)
    {
        Interlocked.Decrement(ref _counts.Words);
        CountDead(word);
    }
}
