namespace HybridCaching.Records;

/// <summary>Which key and value types can be stored: those whose bytes mean the same in another process, and for keys, mean the key.</summary>
internal static class StoredTypes
{
    /// <summary>The largest entry, key and value together: FASTER copies entries on the stack, and the runtime makes no arrays of values beyond 64 KiB.</summary>
    public const int MaximumEntryBytes = 32 << 10;

    /// <summary>Refuses a key type whose bytes are not the key's identity, naming the field and the cure.</summary>
    /// <exception cref="ArgumentException">The type cannot be a key.</exception>
    public static void CheckKey(TypeLayout layout)
    {
        CheckPointers(layout, "key");
        foreach (var field in layout.Fields)
        {
            if (field.Type == typeof(DateTime))
                throw Refused(layout, "key", $"{Describe(field)} is a DateTime: equal ones of different kinds (UTC, local) have different bytes", "Use a number such as Ticks or UtcTicks, or a DateOnly");
            if (field.Type == typeof(float) || field.Type == typeof(double) || field.Type == typeof(Half) || field.Type == typeof(decimal))
            {
                throw Refused(layout, "key", $"{Describe(field)} is a {field.Type.Name}: equal numbers may have different bytes (0.0 and -0.0, 1.0m and 1.00m)",
                    "Use an integer, for example the number in its smallest unit, or BitConverter.DoubleToInt64Bits");
            }
        }

        int padding = layout.FindPadding();
        if (padding >= 0)
        {
            var before = layout.Fields.Where(f => f.Offset < padding).OrderByDescending(f => f.Offset).FirstOrDefault();
            throw Refused(layout, "key", $"byte {padding}, after {Describe(before)}, belongs to no field: its content is arbitrary, and keys are compared by their bytes",
                "Order the fields from large to small, add explicit fields that fill the gap, or use [StructLayout(LayoutKind.Sequential, Pack = 1)]. In place of a type that is not yours, such as a tuple, use a struct of your own");
        }
    }

    /// <summary>Refuses a value type that holds addresses, naming the field and the cure.</summary>
    /// <exception cref="ArgumentException">The type cannot be a value.</exception>
    public static void CheckValue(TypeLayout layout) => CheckPointers(layout, "value");

    /// <summary>Refuses types too large for a page of the log.</summary>
    /// <exception cref="ArgumentException">Key and value together exceed <see cref="MaximumEntryBytes"/>.</exception>
    public static void CheckSize(TypeLayout key, TypeLayout value)
    {
        if (key.Size + value.Size > MaximumEntryBytes)
            throw new ArgumentException($"Key type {key.Type} ({key.Size} bytes) and value type {value.Type} ({value.Size} bytes) together exceed {MaximumEntryBytes} bytes. Split the value over several keys.");
    }

    private static void CheckPointers(TypeLayout layout, string role)
    {
        foreach (var field in layout.Fields)
        {
            if (field.Type.IsPointer || field.Type.IsFunctionPointer || field.Type == typeof(nint) || field.Type == typeof(nuint))
                throw Refused(layout, role, $"{Describe(field)} is a pointer or handle: it means nothing in another process or after a restart", "Store what it points to, or an identifier");
        }
    }

    private static string Describe(TypeLayout.Field field) => field.Path is null or "" ? "the value itself" : $"field '{field.Path}'";

    private static ArgumentException Refused(TypeLayout layout, string role, string why, string cure) =>
        new($"{layout.Type} cannot be a {role} type: {why}. {cure}.");
}
