namespace HybridCaching.CrashTests.Damage;

/// <summary>What may happen to a file.</summary>
internal static class FileDamage
{
    private const int Block = 4096;
    private const int Chunk = 16 * Block;
    private const int MuchMore = 16 << 20;

    public static string[] All { get; } =
        ["delete", "truncate to 0", "truncate to 1", "truncate to half", "truncate by 1", "flip a bit per block", "zero a block", "copy a chunk elsewhere", "take a chunk of an older one", "take the older one", "swap with another cache's", "random", "append much"];

    /// <summary>Damages a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="damage">How.</param>
    /// <param name="older">The same file of the same cache, a run earlier, or one like it.</param>
    /// <param name="other">The same file of another cache, or one like it.</param>
    /// <param name="random">Where.</param>
    public static void Do(string path, string damage, string? older, string? other, Random random)
    {
        byte[] bytes = File.ReadAllBytes(path);
        switch (damage)
        {
            case "delete": File.Delete(path); return;
            case "truncate to 0": bytes = []; break;
            case "truncate to 1": bytes = bytes[..Math.Min(1, bytes.Length)]; break;
            case "truncate to half": bytes = bytes[..(bytes.Length / 2)]; break;
            case "truncate by 1": bytes = bytes[..Math.Max(0, bytes.Length - 1)]; break;
            case "flip a bit per block": FlipBits(bytes, random); break;
            case "zero a block": bytes.AsSpan(PlaceOf(bytes, Block, random), Math.Min(Block, bytes.Length)).Clear(); break;
            case "copy a chunk elsewhere": CopyChunk(bytes, bytes, random); break;
            case "take a chunk of an older one": if (older is not null) CopyChunk(File.ReadAllBytes(older), bytes, null); break;
            case "take the older one": if (older is not null) bytes = File.ReadAllBytes(older); break;
            case "swap with another cache's": if (other is not null) bytes = File.ReadAllBytes(other); break;
            case "random": random.NextBytes(bytes); break;
            case "append much": bytes = [.. bytes, .. Random(MuchMore, random)]; break;
            default: throw new ArgumentException(damage);
        }

        File.WriteAllBytes(path, bytes);
    }

    private static void FlipBits(byte[] bytes, Random random)
    {
        for (int start = 0; start < bytes.Length; start += Block) bytes[start + random.Next(Math.Min(Block, bytes.Length - start))] ^= (byte)(1 << random.Next(8));
    }

    /// <summary>Copies a chunk to the same place of another file, or to another place of the same.</summary>
    private static void CopyChunk(byte[] from, byte[] to, Random? random)
    {
        int length = Math.Min(Chunk, Math.Min(from.Length, to.Length) / 3);
        int source = length;
        int target = random is null ? source : 2 * length;
        from.AsSpan(source, length).CopyTo(to.AsSpan(target));
    }

    private static int PlaceOf(byte[] bytes, int length, Random random) => random.Next(Math.Max(1, (bytes.Length - length) / length)) * length;

    private static byte[] Random(int length, Random random)
    {
        byte[] bytes = new byte[length];
        random.NextBytes(bytes);
        return bytes;
    }
}
