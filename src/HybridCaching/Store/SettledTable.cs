using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using HybridCaching.Configuration;
using HybridCaching.Devices;

namespace HybridCaching.Store;

/// <summary>A table of the index of settled records: buckets of eight words, of which each key has two. It grows and shrinks by a group of buckets; its addresses stay.</summary>
/// <remarks>
/// <code>
///              column 0   1   2   3 ...
/// group 0     │ bucket │     │     │ ...      A key's class, eight bits of its tag, says in which group its buckets are; its hash says in which column one of them is,
/// group 1     │        │     │     │ ...      and the tag, together with that, in which the other.
/// group 2     │   moved ...  ╵              the next group, which only the first columns have yet
/// </code>
/// <para>
/// A word says what class it is of, and in which column its other bucket is (partial-key cuckoo hashing: Fan et al., "Cuckoo Filter: Practically Better Than Bloom", 2014). So it can be put into another group when there is one more, or one less, and into its other bucket, though nobody knows its key.
/// With one group more, each group gives up as many classes as all others, so all buckets stay equally full.
/// </para>
/// <para>How far that has come is one word, which is changed right after what it says is true.</para>
/// </remarks>
internal sealed unsafe class SettledTable
{
    private const ulong ColumnFactor = 0xC2B2_AE3D_27D4_EB4F;
    private const ulong SumFactor = 0x9E37_79B9_7F4A_7C15;
    private const int Classes = 1 << SettledIndex.ClassBits;
    private const int GroupsShift = 56;
    private const ulong MovingBit = 1UL << 55;
    private const ulong MovedMask = (1UL << 48) - 1;

    /// <summary>For each number of groups, in which of them each class is.</summary>
    private static readonly byte[] GroupOfClass = Divide();

    private readonly NativeBlock? _block;
    private readonly LiveState? _state;
    private readonly long _offset;
    private readonly ulong _columns;
    private readonly ulong _tagMask;
    private readonly ulong* _layout;

    /// <summary>One in memory of its own.</summary>
    /// <param name="size">Its size.</param>
    /// <param name="groups">With how many groups it begins.</param>
    /// <param name="tagMask">Which bits of a word are its tag.</param>
    public SettledTable(TableSize size, int groups, ulong tagMask)
    {
        _tagMask = tagMask;
        _columns = (ulong)size.Columns;
        _block = new NativeBlock((nuint)(size.ReservedBytes + TableSize.BucketBytes), isCleared: false);
        Start = (ulong*)_block.Start;
        _layout = (ulong*)(_block.Start + size.ReservedBytes);
        MostGroups = size.Groups;
        Begin(groups);
    }

    /// <summary>One that may outlive the process.</summary>
    /// <param name="size">Its size.</param>
    /// <param name="groups">With how many groups it begins, if it is not there yet.</param>
    /// <param name="tagMask">Which bits of a word are its tag.</param>
    /// <param name="state">Whose it is.</param>
    /// <param name="number">Which of its tables.</param>
    /// <param name="offset">Where it begins there.</param>
    public SettledTable(TableSize size, int groups, ulong tagMask, LiveState state, int number, long offset)
    {
        _tagMask = tagMask;
        _columns = (ulong)size.Columns;
        _state = state;
        _offset = offset;
        Start = (ulong*)(state.Tables + offset);
        _layout = state.Layouts + number;
        MostGroups = size.Groups;
        *_layout &= ~MovingBit; // what was being moved is where it was
        if (Groups < 1 || GroupsInUse > size.Groups || Moved >= Columns)
        {
            Begin(groups);
            return;
        }

        GroupsToBe = GroupsInUse;
        DiscardFrom(GroupsToBe); // one may have been reserved, and not begun
    }

    public ulong* Start { get; }

    /// <summary>Buckets of a group.</summary>
    public long Columns => (long)_columns;

    /// <summary>How many groups all columns have.</summary>
    public int Groups => GroupsOf(Layout);

    /// <summary>So many columns, from the first on, have one group more.</summary>
    public long Moved => MovedOf(Layout);

    /// <summary>How many groups all columns are to have.</summary>
    public int GroupsToBe { get; private set; }

    /// <summary>Whether columns lose their last group.</summary>
    public bool IsShrinking
    {
        get
        {
            ulong layout = Layout;
            return MovedOf(layout) > 0 && GroupsToBe == GroupsOf(layout);
        }
    }

    /// <summary>How many groups there may be.</summary>
    public int MostGroups { get; set; }

    public TableSize Size => new(Columns, MostGroups);

    public long Bytes => Math.Max(GroupsToBe, GroupsInUse) * Size.GroupBytes;

    /// <summary>How many words there is room for in all buckets that keys have; they lie one after the other.</summary>
    public long Words
    {
        get
        {
            ulong layout = Layout;
            return ((GroupsOf(layout) * Columns) + MovedOf(layout)) * SettledIndex.BucketWords;
        }
    }

    /// <summary>Where the words of a key may be, as things are.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="tag">The tag of its words.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Location Locate(ulong hash, ulong tag)
    {
        ulong column = Math.BigMul(hash * ColumnFactor, _columns, out _);
        return new Location(Layout, column, OtherColumn(column, tag), SettledIndex.ClassOf(tag));
    }

    /// <summary>The column of the other bucket of a word.</summary>
    /// <param name="column">The column it is in.</param>
    /// <param name="word">The word.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong OtherColumn(ulong column, ulong word)
    {
        ulong sum = Math.BigMul((word & _tagMask) * SumFactor, _columns, out _);
        return sum >= column ? sum - column : sum + _columns - column;
    }

    /// <summary>The first of the two buckets.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong* FirstBucket(in Location at) => BucketOf(at.First, GroupOf(at.Layout, at.First, at.Class));

    /// <summary>The second of the two buckets.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong* SecondBucket(in Location at) => BucketOf(at.Second, GroupOf(at.Layout, at.Second, at.Class));

    /// <summary>The bucket of words of a class in a column, as things are.</summary>
    public ulong* BucketNow(ulong column, int wordClass) => BucketOf(column, GroupOf(Layout, column, wordClass));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ulong* BucketOf(ulong column, int group) => Start + ((((ulong)group * _columns) + column) * SettledIndex.BucketWords);

    /// <summary>Whether a word of a class belongs where it lies.</summary>
    /// <param name="at">How many words lie before it.</param>
    /// <param name="wordClass">Its class.</param>
    public bool BelongsAt(long at, int wordClass)
    {
        ulong bucket = (ulong)at / SettledIndex.BucketWords;
        return (int)(bucket / _columns) == GroupOf(Layout, bucket % _columns, wordClass);
    }

    /// <summary>In which group a class is if there are so many.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int GroupOf(int groups, int wordClass) => GroupOfClass[(groups * Classes) + wordClass];

    /// <summary>Whether a key's words were in two buckets all the time since they were located there.</summary>
    /// <remarks>While words of one of its columns are on their way, they are not. To be asked after the buckets were read, or changed.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsStill(in Location at)
    {
        ulong now = Layout;
        return (now == at.Layout && (now & MovingBit) == 0) || IsStillThere(in at, now);
    }

    /// <summary>In which groups the two buckets are: another number means that a key's words were moved.</summary>
    public static int GroupsOf(in Location at) => (GroupOf(at.Layout, at.First, at.Class) * TableSize.MostGroups) + GroupOf(at.Layout, at.Second, at.Class);

    /// <summary>From now on there are to be so many groups: one more than now, or one less, which all columns still have.</summary>
    public void Aim(int groups)
    {
        if (groups < Groups) Interlocked.Exchange(ref *_layout, ((ulong)groups << GroupsShift) | _columns);
        GroupsToBe = groups;
    }

    /// <summary>Words of the column that is next are about to be moved: who takes some out has to look again afterwards.</summary>
    public void BeginMove() => Interlocked.Or(ref *_layout, MovingBit);

    /// <summary>So many columns have one group more from now on.</summary>
    public void EndMove(long moved)
    {
        int groups = Groups;
        ulong layout = (ulong)moved == _columns ? (ulong)(groups + 1) << GroupsShift : ((ulong)groups << GroupsShift) | (ulong)moved;
        Interlocked.Exchange(ref *_layout, layout);
    }

    /// <summary>A part of it, as bytes. Nothing may be on its way.</summary>
    public Span<byte> Part(long offset, int mostBytes) => new((byte*)Start + offset, (int)Math.Min(mostBytes, Bytes - offset));

    /// <summary>Has so many groups from now on, whatever is in them.</summary>
    public void Set(int groups)
    {
        *_layout = (ulong)groups << GroupsShift;
        GroupsToBe = groups;
    }

    /// <summary>Takes memory for so many groups, as far as it has none yet.</summary>
    /// <returns>False if the system has none.</returns>
    public bool TryReserve(int groups)
    {
        var size = new TableSize(Columns, Groups);
        long more = (groups - Groups) * size.GroupBytes;
        if (more <= 0) return true;
        Use(size.Bytes + more);
        return _state?.TryReserveTables(_offset + size.Bytes, more) ?? true;
    }

    /// <summary>Gives what lies behind so many groups back to the system.</summary>
    public void DiscardFrom(int group)
    {
        var size = new TableSize(Columns, group);
        if (_state is not null) _state.DiscardTables(_offset + size.Bytes, size.ReservedBytes - size.Bytes);
        else _block!.Discard((nuint)size.Bytes, (nuint)(size.ReservedBytes - size.Bytes));
    }

    private void Begin(int groups)
    {
        long bytes = new TableSize(Columns, groups).Bytes;
        Use(bytes);
        NativeMemory.Clear(Start, (nuint)bytes);
        Set(groups);
        DiscardFrom(groups); // all that it may take was reserved when it was made: so there would be room for it
    }

    private void Use(long bytes)
    {
        _state?.UseTables(_offset, bytes);
        _block?.Use(0, (nuint)bytes);
    }

    /// <summary>What is asked of it together has to be read once.</summary>
    private ulong Layout => Volatile.Read(ref *_layout);

    private int GroupsInUse
    {
        get
        {
            ulong layout = Layout;
            return GroupsOf(layout) + (MovedOf(layout) > 0 ? 1 : 0);
        }
    }

    private static int GroupsOf(ulong layout) => (int)(layout >> GroupsShift);

    private static long MovedOf(ulong layout) => (long)(layout & MovedMask);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsStillThere(in Location at, ulong now)
    {
        ulong moved = now & MovedMask;
        bool isOnItsWay = (now & MovingBit) != 0 && (at.First == moved || at.Second == moved);
        return !isOnItsWay && GroupOf(now, at.First, at.Class) == GroupOf(at.Layout, at.First, at.Class) && GroupOf(now, at.Second, at.Class) == GroupOf(at.Layout, at.Second, at.Class);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int GroupOf(ulong layout, ulong column, int wordClass) => GroupOf((int)(layout >> GroupsShift) + (column < (layout & MovedMask) ? 1 : 0), wordClass);

    /// <summary>Each group that is added takes its share of the classes, from those that have most.</summary>
    private static byte[] Divide()
    {
        byte[] groupOf = new byte[(TableSize.MostGroups + 1) * Classes];
        Span<int> sizes = stackalloc int[TableSize.MostGroups];
        sizes[0] = Classes;
        for (int groups = 2; groups <= TableSize.MostGroups; groups++)
        {
            var now = groupOf.AsSpan(groups * Classes, Classes);
            groupOf.AsSpan((groups - 1) * Classes, Classes).CopyTo(now);
            int added = groups - 1;
            while (sizes[added] < Classes / groups)
            {
                int largest = 0;
                for (int group = 1; group < added; group++)
                {
                    if (sizes[group] > sizes[largest]) largest = group;
                }

                now[now.IndexOf((byte)largest)] = (byte)added;
                sizes[largest]--;
                sizes[added]++;
            }
        }

        return groupOf;
    }

    /// <summary>Where the words of a key may be.</summary>
    /// <param name="Layout">By how many groups there were.</param>
    /// <param name="First">The column of one bucket.</param>
    /// <param name="Second">The column of the other.</param>
    /// <param name="Class">The class of the key.</param>
    internal readonly record struct Location(ulong Layout, ulong First, ulong Second, int Class);
}
